package search

import (
	"math"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// tuned makes a search and gives the modes that it measured and the notes that it made.
func tuned(t *testing.T, s *session.Session, r measure.TuneRequest) (measure.TuneResult, []tegra.Mode, string) {
	t.Helper()
	var notes []string
	w := must.Get(workloads.Find(s, "mobilenet"))(t)
	r.Workload = w
	res, err := Tune(t.Context(), s, r, func(e measure.Event) {
		if note, ok := e.(measure.NoteEvent); ok {
			notes = append(notes, string(note))
		}
	})
	if err != nil || !res.Answers[0].Feasible || !r.Limits[0].Met(res.Result.Answers[0].Measured) {
		t.Fatalf("%v: %+v, %v", r.Limits[0], res.Result.Answers[0].Measured, err)
	}
	var modes []tegra.Mode
	for _, p := range res.Probes {
		if !slices.Contains(modes, p.Mode) {
			modes = append(modes, p.Mode)
		}
	}
	return res, modes, strings.Join(notes, "\n")
}

// small opens a fast board of few modes.
func small(t *testing.T) *session.Session {
	t.Helper()
	return sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1)})
}

// Fresh searches know nothing; a search for the whole front counts the known modes among those that it spreads over the
// space.
func TestTuneStartsFromThePoolUnlessFresh(t *testing.T) {
	t.Parallel()
	s := small(t)
	_, first, notes := tuned(t, s, measure.TuneRequest{Questions: metric.Question{Limit: metric.Watts(10)}.List()})
	if strings.Contains(notes, "starts from") || len(first) < 6 {
		t.Errorf("the first search measured %d modes and said %q", len(first), notes)
	}
	res, second, notes := tuned(t, s, measure.TuneRequest{Questions: metric.Question{Limit: metric.Watts(8)}.List()})
	if !strings.Contains(notes, "starts from the ") || !strings.Contains(notes, "(1 campaign)") ||
		len(second) > len(first)*3/5 {
		t.Errorf("the second search measured %d modes after %d and said %q", len(second), len(first), notes)
	}
	if res.Known != len(first) || res.Fitted == nil || len(res.Fitted.Samples) < len(first)+1 {
		t.Errorf("%d modes known, want the %d of the first search in the search and the model", res.Known, len(first))
	}
	for _, p := range res.Probes { // none of the pool's rows
		if p.Err != nil || p.TimeMS == 0 {
			t.Errorf("probe %+v", p)
		}
	}
	known := first
	for _, m := range second {
		if !slices.Contains(known, m) {
			known = append(known, m)
		}
	}
	front := measure.TuneRequest{Questions: metric.Question{Limit: metric.Watts(9)}.List(),
		Asked: record.Asked{Coverage: campaigns.CoverFront, Probes: len(known) + 3}}
	res, _, notes = tuned(t, s, front)
	noneBetter(t, res, 9)
	if n := len(res.Probes); res.Known != len(known) || n < 3 || n > 3+optimize.DefaultProbes {
		t.Errorf("%d measurements, %d of %d known; said %q", n, res.Known, len(known), notes)
	}
	_, fresh, notes := tuned(t, s, measure.TuneRequest{Questions: metric.Question{Limit: metric.Watts(8)}.List(),
		Asked: record.Asked{Fresh: true}})
	if strings.Contains(notes, "starts from") || len(fresh) < len(second) {
		t.Errorf("a fresh search measured %d modes and said %q", len(fresh), notes)
	}
	front.Fresh, front.Probes = true, 8
	if res, _, _ := tuned(t, s, front); res.Known != 0 || len(res.Probes) <= 8 {
		t.Errorf("from nothing it made %d measurements, %d known", len(res.Probes), res.Known)
	}
}
