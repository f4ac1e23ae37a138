// Package claims checks the take-aways of the papers by their published figures.
//
//	claims.csv ──► Claim ──► Ledger, Judge (results of fidelity and reproduce) ──► Judged: pass, fail, not testable
package claims

import (
	"context"
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"sync"

	"jtune/tui/session/lab/evidence"
	"jtune/tui/session/lab/fidelity"
	"jtune/tui/session/lab/reproduce"
)

// Claim is a take-away of a paper with the published figures that support it.
type Claim struct {
	ID       string
	Study    string // see evidence.Studies
	Where    string
	Sentence string
	evidence []string // prefixes of the figures' names; a "-" marks figures that the claim says are beaten
}

//go:embed claims.csv
var claimsCSV string

// Claims returns the take-aways of all papers.
var Claims = sync.OnceValue(func() (out []Claim) {
	rows, err := csv.NewReader(strings.NewReader(claimsCSV)).ReadAll()
	if err != nil {
		panic("claims: claims.csv: " + err.Error())
	}
	for _, r := range rows[1:] {
		out = append(out, Claim{r[0], r[1], r[2], r[3], strings.Fields(r[4])})
	}
	return out
})

// Outcome is the result for a claim.
type Outcome string

// Outcomes. A claim passes if more than two thirds of its figures hold, or are better than published.
const (
	Pass        Outcome = "pass"
	Fail        Outcome = "fail"
	NotTestable Outcome = "not testable here"
)

// Evidence is a figure that supports a claim.
type Evidence struct {
	ID        string           `json:"id"`
	Published float64          `json:"published"`
	Own       []float64        `json:"own"`
	Unit      string           `json:"unit"`
	Verdict   evidence.Verdict `json:"verdict"`
	Relation  string           `json:"relation"` // of the published value
	Most      float64          `json:"published_max"`
	Side      string           `json:"side"` // better or worse, for a missed figure; "" if neither applies

	figure evidence.Figure
}

// Figure returns the published figure.
func (e *Evidence) Figure() evidence.Figure { return e.figure }

// Judged is a claim with its evidence.
type Judged struct {
	Claim
	Outcome   Outcome
	Holding   int // how many of Evidence hold
	Simulated bool
	Evidence  []Evidence
}

// passing is the share of figures that must hold.
const passing = 2.0 / 3

// Ledger judges all claims by the figures of the studies and of the virtual boards.
func Ledger(ctx context.Context, o reproduce.Options) (out []Judged, err error) {
	o.Studies = nil
	for _, f := range reproduce.Figures() {
		cited := func(c Claim) bool { return c.cites(f.ID) }
		if slices.ContainsFunc(Claims(), cited) && !slices.Contains(o.Studies, f.Group) {
			o.Studies = append(o.Studies, f.Group)
		}
	}
	reports, err := reproduce.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	return Judge(ctx, reports, o.Seed)
}

// Judge judges all claims by completed studies and the figures of the virtual boards.
func Judge(ctx context.Context, reports []reproduce.Report, seed uint64) (out []Judged, err error) {
	all, err := fidelity.Evaluate(ctx, fidelity.Figures(), seed)
	if err != nil {
		return nil, err
	}
	for _, r := range reports {
		all = append(all, r.Results...)
	}
	for _, c := range Claims() {
		out = append(out, c.judge(all))
	}
	return out, nil
}

// judge judges a claim by the results that it cites and that have own values.
func (c *Claim) judge(results []evidence.Result) Judged {
	j := Judged{Claim: *c}
	for _, r := range results {
		if !c.cites(r.ID) || len(r.Values) == 0 {
			continue
		}
		j.Evidence = append(j.Evidence, Evidence{r.ID, r.Value, r.Values, r.Unit, r.Verdict, r.Relation, r.Most,
			r.Side(), r.Figure})
		if r.Verdict.Holds() || r.Verdict == evidence.Better && !c.beats(r.ID) {
			j.Holding++
		}
		j.Simulated = j.Simulated || r.Simulated
	}
	switch {
	case len(j.Evidence) == 0:
		j.Outcome = NotTestable
	case float64(j.Holding) > passing*float64(len(j.Evidence)):
		j.Outcome = Pass
	default:
		j.Outcome = Fail
	}
	return j
}

func (c *Claim) cites(id string) bool {
	return slices.ContainsFunc(c.evidence, func(prefix string) bool {
		return strings.HasPrefix(id, strings.TrimPrefix(prefix, rival))
	})
}

// rival marks figures of methods that a claim says are worse: values better than published do not support it.
const rival = "-"

func (c *Claim) beats(id string) bool {
	return slices.ContainsFunc(c.evidence, func(prefix string) bool { return strings.HasPrefix(rival+id, prefix) })
}
