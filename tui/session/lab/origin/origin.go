// Package origin records where each constant of the virtual boards comes from.
//
//	origins.csv ──► Origin ──► All, Fitted, Unfounded
//
// A constant is a field of a chip, a workload or a network of package physics. Boards or workloads in one row share the
// value, unless the row begins with "each".
package origin

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"sync"
)

// Kind is the basis of a constant.
type Kind string

// Kinds.
const (
	Definition Kind = "definition" // one by choice of the unit, or zero
	DataSheet  Kind = "data sheet"
	Stated     Kind = "stated" // printed by a paper, or a ratio of its numbers
	Sweep      Kind = "sweep"  // fitted to a shared measurement
	Figures    Kind = "figures"
	FewFigures Kind = "few figures" // fitted to fewer figures than there are constants
	Savings    Kind = "savings"     // chosen from published energy savings as a whole
	Borrowed   Kind = "borrowed"    // from another board or workload
	Assumed    Kind = "assumed"
)

// Origin is the origin of some constants.
type Origin struct {
	Of     []string `json:"of"`   // chips, workloads or networks
	Each   bool     `json:"each"` // each has its own value; otherwise they share it
	Fields []string `json:"fields"`
	Kind   Kind     `json:"origin"`
	Source string   `json:"source"` // a shared sweep, a paper, what it is borrowed from, or what is known about it
}

//go:embed origins.csv
var originsCSV string

// All returns the origins of all constants.
var All = sync.OnceValue(func() (out []Origin) {
	rows, err := csv.NewReader(strings.NewReader(originsCSV)).ReadAll()
	if err != nil {
		panic("origin: origins.csv: " + err.Error())
	}
	for _, r := range rows[1:] {
		of, each := strings.CutPrefix(r[0], "each ")
		out = append(out, Origin{strings.Fields(of), each, strings.Fields(r[1]), Kind(r[2]), r[3]})
	}
	return out
})

// Constant is a field of one or several of them.
type Constant struct {
	Of    []string
	Field string
}

// Fitted returns the constants that the published figures of the boards before Orin determine.
func Fitted() (out []Constant) {
	for _, o := range All() {
		if o.Kind != Figures {
			continue
		}
		for _, f := range o.Fields {
			out = append(out, Constant{o.Of, f})
		}
	}
	return out
}

// Count counts the constants of some kinds.
func Count(kinds ...Kind) (n int) {
	for _, o := range All() {
		switch {
		case !slices.Contains(kinds, o.Kind):
		case o.Each:
			n += len(o.Of) * len(o.Fields)
		default:
			n += len(o.Fields)
		}
	}
	return n
}

// Unfounded returns the constants without a published figure or a shared sweep.
func Unfounded() []Origin {
	return slices.DeleteFunc(slices.Clone(All()), func(o Origin) bool {
		return o.Kind != Assumed && o.Kind != Borrowed
	})
}
