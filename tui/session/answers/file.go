package answers

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/internal/tomlfile"
	"jtune/learn"
	"jtune/optimize"
	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// The answer of a search is kept in the folder of its first campaign, next to the measurements. Only people and screens
// read it: models and later searches learn from the rows, never from it.
const (
	// FileName is the name of the file that keeps an answer.
	FileName   = "answer.toml"
	fileFormat = 1

	// Limits on the size of a file.
	mostBytes    = 1 << 20
	mostAnswers  = 64
	mostCores    = 1 << 10
	mostWarnings = 32
)

// Kept is the stored answer of one search, with one entry for each of its limits.
type Kept struct {
	Format   int       `toml:"format"`
	Jtune    string    `toml:"jtune"`    // version that found it
	Software string    `toml:"software"` // releases that the readings depend on
	When     time.Time `toml:"when"`
	// Load and Batches are the rest of the question, besides the limits in Answers.
	Load    arrivals.Spec `toml:"load,omitempty"`
	Batches []int         `toml:"batches,omitempty"`
	// Warnings are the reservations of the search about its answer.
	Warnings []string         `toml:"warnings,omitempty"`
	Answers  []Answer         `toml:"answer"`
	Ended    optimize.Ended   `toml:"ended"`
	Probes   []optimize.Probe `toml:"probe,omitempty"` // of the search; the same for all answers
	// Worked says that no answer was kept (earlier versions did not): the answers are the best rows within the limits.
	Worked bool `toml:"-"`
}

// Goal returns the goal of answer i.
func (k Kept) Goal(i int) metric.Question {
	return metric.Question{Limit: k.Answers[i].Limit, Load: k.Load}
}

// Keep writes an answer into the folder of a campaign, atomically.
func Keep(dir string, k Kept) error {
	k.Format = fileFormat
	k.Answers, k.Warnings = slices.Clone(k.Answers), newest(k.Warnings, mostWarnings)
	if foreign(k.Load) {
		k.Load.Arrivals = string(arrivals.Trace)
	}
	for i := range k.Answers {
		a := &k.Answers[i]
		if i == 0 {
			k.Probes, k.Ended = a.Probes, a.Ended
		}
		a.Probes = nil
		a.Ask.Load.TraceS = nil // the times stay in the user's file
		if t := a.Trial; t != nil {
			own := *t
			own.Dir = filepath.Base(own.Dir)
			a.Trial = &own
		}
	}
	data, err := tomlfile.Encode(FileName,
		"# What a search of jtune found. Only to be looked up: nothing is set or run because of this file.", k)
	if err == nil && len(data) > mostBytes {
		err = fmt.Errorf("%s: %d bytes, at most %d can be kept", FileName, len(data), mostBytes)
	}
	if err == nil {
		_, err = parse(FileName, string(data)) // else it could not be read either
	}
	if err != nil {
		return err
	}
	if err := safefile.Replace(filepath.Join(dir, FileName), data); err != nil {
		return fmt.Errorf("%s: %w", FileName, err)
	}
	return nil
}

// Find reads the answer kept in a folder; nil if there is none.
func Find(dir string) (*Kept, error) { return find(dir, func(text string) string { return text }) }

// FindWithoutProbes is Find for what lists say: it does not read the probes, which are more than half of the file.
func FindWithoutProbes(dir string) (*Kept, error) {
	k, err := find(dir, func(text string) string {
		text, _, _ = strings.Cut(text, "\n[[probe]]")
		return text
	})
	if err != nil { // they need not be the last part
		return Find(dir)
	}
	return k, nil
}

// find reads a part of the file.
func find(dir string, part func(text string) string) (*Kept, error) {
	path := filepath.Join(dir, FileName)
	data, err := safefile.ReadIfThere(path, mostBytes)
	switch {
	case err != nil:
		return nil, fmt.Errorf("answer: %w", err)
	case data == nil:
		return nil, nil
	}
	k, err := parse(path, part(string(data)))
	if err != nil {
		return nil, err
	}
	return &k, nil
}

// parse reads a file that may come from anyone.
func parse(path, data string) (k Kept, err error) {
	if _, err := tomlfile.Decode(path, data, &k); err != nil {
		return Kept{}, err
	}
	plain(reflect.ValueOf(&k).Elem())
	k.Warnings = newest(k.Warnings, mostWarnings)
	bad := ""
	switch {
	case k.Format != fileFormat:
		bad = fmt.Sprintf("format %d, this jtune reads format %d", k.Format, fileFormat)
	case len(k.Answers) == 0 || len(k.Answers) > mostAnswers:
		bad = fmt.Sprintf("%d answers: want 1 to %d", len(k.Answers), mostAnswers)
	case foreign(k.Load):
		bad = "invalid load"
	case !slices.Contains(ends, k.Ended):
		bad = "unknown end of the search"
	}
	for i := range k.Answers {
		a := &k.Answers[i]
		a.Ended = k.Ended
		a.Ask.Goal = cmp.Or(a.Ask.Goal, a.Limit) // older versions of jtune kept none
		if a.Probes = slices.Clone(k.Probes); a.Probes == nil {
			a.Probes = []optimize.Probe{}
		}
		if fault := a.fault(); fault != "" && bad == "" {
			bad = fmt.Sprintf("answer %d: %s", i+1, fault)
		}
	}
	if bad != "" {
		return Kept{}, fmt.Errorf("%s: %s", path, bad)
	}
	return k, nil
}

// foreign reports whether a load cannot be reproduced from this file alone. Loads from a file of arrivals are kept as
// their mean rate.
func foreign(v arrivals.Spec) bool {
	_, err := arrivals.Named(v.Arrivals)
	return v.Arrivals != "" && v.Arrivals != string(arrivals.Trace) && err != nil
}

// ends are the valid ends of a search.
var ends = []optimize.Ended{optimize.Converged, optimize.OutOfProbes, optimize.Exhausted, optimize.NoWay,
	optimize.Failing, optimize.Cancelled}

// fault says what is invalid in an answer; "" if nothing is.
func (a *Answer) fault() string {
	possible := func(m tegra.Mode) bool {
		return m.Cores > 0 && m.Cores <= mostCores && m.CPU > 0 && m.GPU > 0 && m.EMC >= 0
	}
	best := a.Best()
	switch {
	case !possible(a.Mode) || a.Batch < 0:
		return "invalid mode"
	case !(best.TimeMS > 0) || a.Reading.N < 0:
		return "it has no time"
	case !learn.Possible(best):
		return fmt.Sprintf("impossible reading: %g ms, %g W", best.TimeMS, best.PowerW)
	case a.Standing.State < standing.Measured || a.Standing.State > standing.Unknown:
		return "invalid state"
	case a.Limit.Check() != nil:
		return "invalid limit"
	case a.Ask.Check() != nil:
		return "invalid load"
	}
	for _, c := range a.Versus.Distinct() {
		if !possible(c.Other.Mode) {
			return "it is compared with an invalid mode"
		}
	}
	return ""
}

// plain turns all texts in a value into single lines without control characters. It writes only what changes: known
// metrics are shared by the whole process and are plain.
func plain(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			plain(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				plain(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			plain(v.Index(i))
		}
	case reflect.String:
		if line := text.OneLine(strings.ToValidUTF8(v.String(), "?")); line != v.String() {
			v.SetString(line)
		}
	}
}

func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }
