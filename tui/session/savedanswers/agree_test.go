package savedanswers_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/search"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// Directly after a search the card, campaigns show, choose, Front and Modes name its answer: they take it from the
// kept answer, from an outlook of settings, and from one of a page. About one request in five has no answer: rates
// and latencies that the board cannot serve within the watts, and times that it does not reach. Within a power alone,
// over batch sizes and for the least energy each search has one.
func TestQuestionsAllNameTheAnswerOfARandomSearch(t *testing.T) {
	t.Parallel()
	searches := 2
	if os.Getenv("JTUNE_LONG") != "" {
		searches = 200
	}
	if testing.Short() {
		t.Skip("numbers that one goroutine computes")
	}
	rng := rand.New(rand.NewPCG(7, 11))
	boards := []string{"agx-orin", "orin-nano", "xavier-nx"}
	var s *session.Session
	answered, without := 0, map[string]int{}
	for n := range searches {
		if n%perFolder == 0 { // what was measured before counts in the searches that follow
			s = sessiontest.Open(t, session.Options{Device: "virtual:" + boards[n/perFolder%len(boards)],
				Speed: math.Inf(1), Paths: config.Paths{DataDir: t.TempDir()}, Seed: 3 + uint64(n)})
		}
		r := randomRequest(t, s, rng, n)
		t.Run(fmt.Sprintf("%d %s %v %v", n, r.Workload.Name, r.Questions, r.Batches), func(t *testing.T) {
			out, err := search.Tune(t.Context(), s, r, nil)
			if errors.Is(err, optimize.ErrInfeasible) {
				if without[kindOf(r)]++; !r.Load.Any() && r.Limits[0].Of(metric.Time) == 0 {
					t.Error(err)
				}
				return
			}
			if err != nil || out.Fitted == nil {
				t.Fatal(err)
			}
			answered++
			agrees(t, s, r, out)
		})
	}
	if t.Logf("%d of %d searches have answered; without an answer: %v", answered, searches, without); answered == 0 {
		t.Error("no search has answered")
	}
}

// kindOf is what decides whether a request has an answer.
func kindOf(r measure.TuneRequest) string {
	switch {
	case r.Load.Any():
		return "under a load"
	case r.Limits[0].Of(metric.Time) > 0:
		return "within a time"
	case r.Batches != nil:
		return "over batch sizes"
	}
	return "within a power or of least energy"
}

func randomRequest(t *testing.T, s *session.Session, rng *rand.Rand, n int) measure.TuneRequest {
	t.Helper()
	name := []string{"resnet18", "yolov8n-infer", "mobilenet", "resnet18-infer", "lstm"}[n%5]
	w := must.Get(workloads.Find(s, name))(t)
	r := measure.TuneRequest{Measuring: measure.Measuring{Workload: w}, Keep: true}
	top := powerOf(s)
	watts := math.Round(top * (0.45 + 0.5*rng.Float64()))
	r.Limits = []metric.Goal{metric.Watts(watts)}
	switch {
	case w.Infers():
		r.Load = arrivals.Spec{RatePerS: float64(10 + rng.IntN(30)), LatencyMS: float64(35 + rng.IntN(40)),
			Quantile: 0.99, PowerAs: "peak"}
	case rng.IntN(3) == 0:
		r.Limits[0] = metric.LeastEnergy
	case rng.IntN(4) == 0:
		r.Batches = []int{8, 16}
	case rng.IntN(4) == 0:
		r.Limits[0] = metric.Millis(float64(60 + rng.IntN(300)))
	case rng.IntN(3) == 0:
		r.Limits = append(r.Limits, metric.Watts(watts-2), metric.Watts(watts+3))
	}
	return r
}

// perFolder is how many searches share a data directory.
const perFolder = 10

// powerOf is about the most that a board draws.
func powerOf(s *session.Session) float64 {
	switch s.Device.Board().Name {
	case "Orin Nano":
		return 15
	case "Xavier NX":
		return 20
	}
	return 45
}

// agrees holds every way to an answer against what a search has found.
func agrees(t *testing.T, s *session.Session, r measure.TuneRequest, out measure.TuneResult) {
	t.Helper()
	want := out.Answers[0].Setting
	list := must.Get(campaigns.List(s.Options.Paths))(t)
	_, k, err := savedanswers.Find(list, list[len(list)-1])
	if err != nil || k == nil || k.Answers[0].Setting != want {
		t.Fatalf("the kept answer: %+v, %v", k, err)
	}
	m := out.Fitted
	settings := tegra.Settings(m.Space.Modes(), m.Batches)
	o := outlook.OutlookOf(m, settings)
	o.Found = savedanswers.Answered(list, m.Provenance)
	one := m
	if m.Batches != nil {
		one = m.At(want.Batch)
	}
	page := outlook.New(r.Workload.Name, one, m.Space)
	page.Found = o.Found
	chosen := func(l metric.Goal) (tegra.Setting, error) {
		at, err := o.Choose(l)
		s := o.Predicted[at].Setting
		if want.Batch > 0 && s.Batch == 0 { // the model knows one size, its own
			s.Batch = cmp.Or(m.Batch, m.Provenance.Batch)
		}
		return s, err
	}
	for i, a := range out.Answers {
		if on, err := chosen(a.Limit); !r.Load.Any() && a.Feasible && (err != nil || on != a.Setting) {
			t.Errorf("choose gives %v for %v, the search %v (%v)", on, a.Limit, a.Setting, err)
		}
		must.Equal(t, k.Answers[i].Setting, a.Setting, a.Limit)
	}
	if !r.Load.Any() {
		if on, err := chosen(r.Limits[0]); err != nil || on != want {
			t.Errorf("choose gives %v, the search %v (%v)", on, want, err)
		}
		must.Equal(t, page.Predicted[page.Answer(r.Limits[0])].Mode, want.Mode)
		return
	}
	ask := must.Get(mix.AskOf(r.First(), s.Seed))(t)
	ask = savedanswers.Known(list, m.Provenance, metric.Question{Limit: r.Limits[0], Load: r.Load}, ask)
	if found, _, err := serving.Under(o, ask).Answer(); err != nil || found.Mode != want.Mode {
		t.Errorf("choose gives %v, the search %v (%v)", found.Mode, want, err)
	}
	view, err := serving.ViewUnder(page, ask, nil)
	best := page.Known[serving.AnswerAmong(page, r.Limits[0], view, nil)].Mode
	if err != nil || view.Best.Mode != want.Mode || best != want.Mode {
		t.Errorf("Front gives %v, the search %v (%v)", view.Best.Mode, want, err)
	}
}
