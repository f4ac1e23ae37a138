package search

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/stats"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
	"jtune/tui/session"
	"jtune/tui/session/answers"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/workloads"
)

// trainings are the jobs of the papers, which every virtual board simulates where its memory holds them.
var trainings = []string{"resnet18", "mobilenet", "yolov8n", "bert", "lstm", "lenet5", "vgg11"}

// searched is what one search on a virtual board took, and what it found.
type searched struct {
	result  measure.TuneResult
	boardS  float64 // of the board's time
	firstS  float64 // of that, in the first measurement
	gapPct  float64 // the answer's true time over that of the best mode within the limit
	overPct float64 // the answer's true power over the limit; below 0 within
	modes   int     // measured, baselines left out
	truePct float64 // what the answer's gain is by the board's own truth; NaN where nothing was measured
}

// searchBoard searches for the fastest mode within the board's default limit, from nothing; nil where the workload
// does not fit the board.
func searchBoard(t testing.TB, board, workload string, seed uint64) *searched {
	t.Helper()
	return searchFor(t, board, workload, seed, func(s *session.Session) metric.Goal {
		return metric.Watts(outlook.DefaultPowerW(s.Device.Presets()))
	})
}

// searchFor searches for the best mode within a limit; the gap is a gap in time within a power limit.
func searchFor(t testing.TB, board, workload string, seed uint64,
	goal func(*session.Session) metric.Goal) *searched {
	t.Helper()
	s := must.Get(session.Open(session.Options{Device: "virtual:" + board, Speed: math.Inf(1), Seed: seed,
		Paths: config.Paths{DataDir: t.TempDir()}}))(t)
	defer s.Close()
	if s.Virtual.Fits(workload, 0) != nil {
		return nil
	}
	w := must.Get(workloads.Find(s, workload))(t)
	limit := goal(s)
	r := measure.TuneRequest{Measuring: measure.Measuring{Workload: w},
		Questions: metric.Question{Limit: limit}.List()}
	res, err := Tune(context.Background(), s, r, nil)
	if err != nil {
		t.Errorf("%s, %s, seed %d: %v", board, workload, seed, err)
		return nil
	}
	truth := func(m tegra.Mode) (timeMS, powerW float64, err error) {
		job, _ := physics.Find(workload)
		job.Workers = w.Workers // not on all boards its own number
		steps, err := s.Virtual.Steady(job, m, false)
		return steps.TimeMS, steps.Power.Total(), err
	}
	out := &searched{truePct: math.NaN(), result: res, boardS: res.Took.Seconds(), firstS: res.Rows[0].TookS}
	bestMS := math.Inf(1)
	for _, m := range s.Device.Space().All() {
		if limit.Of(metric.Power) == 0 {
			break
		}
		if ms, w, err := truth(m); err == nil && w <= limit.Of(metric.Power) {
			bestMS = min(bestMS, ms)
		}
	}
	ms, watts, err := truth(res.Answers[0].Mode)
	must.NoError(t, err)
	if a := res.Answers[0]; a.Gain != nil && a.Gain.Measured {
		b := a.Baseline()
		itsMS, itsWatts, err := truth(b.Mode)
		must.NoError(t, err)
		by := map[answers.Quantity]float64{answers.Time: ms / itsMS, answers.Power: watts / itsWatts,
			answers.Energy: ms * watts / itsMS / itsWatts}
		out.truePct = 100 * (by[a.Gain.Quantity] - 1)
	}
	out.gapPct, out.overPct = 100*(ms/bestMS-1), 100*(watts/limit.Of(metric.Power)-1)
	for _, p := range res.Probes {
		if p.Why != "before" && p.Why != "preset" {
			out.modes++
		}
	}
	return out
}

// seedsOf is how many seeds JTUNE_SEEDS asks for.
func seedsOf(t testing.TB, usual int) int {
	t.Helper()
	if n, err := strconv.Atoi(os.Getenv("JTUNE_SEEDS")); err == nil {
		return n
	}
	return usual
}

// TestBoardTimeToAnAnswer prints what a search for the board's default limit costs: median board time, share of the
// first measurement, measurements, gap of the answer: every board and workload, or JTUNE_ONLY=nano/lstm.
func TestBoardTimeToAnAnswer(t *testing.T) {
	boards, jobs, seeds := virtual.Names(), trainings, seedsOf(t, 3)
	if os.Getenv("JTUNE_LONG") == "" && os.Getenv("JTUNE_ONLY") == "" {
		t.Skip("JTUNE_LONG=1 or JTUNE_ONLY measures it; TestAnswerTakesTwoMinutes holds one board to its bounds")
	}
	if only := os.Getenv("JTUNE_ONLY"); only != "" {
		board, job, _ := strings.Cut(only, "/")
		boards = []string{board}
		if job != "" {
			jobs = []string{job}
		}
	}
	line := func(name string, all []searched) {
		column := func(of func(searched) float64) []float64 {
			var out []float64
			for _, a := range all {
				out = append(out, of(a))
			}
			return out
		}
		took := column(func(a searched) float64 { return a.boardS })
		gap := column(func(a searched) float64 { return a.gapPct })
		t.Logf("%-24s board %5.1f s (%.0f to %.0f), first %3.0f %%, %2.0f measurements, gap %+5.1f %% (mean %+.1f), "+
			"power %+5.1f %%", name, stats.Median(took), slices.Min(took), slices.Max(took),
			stats.Median(column(func(a searched) float64 { return 100 * a.firstS / a.boardS })),
			stats.Median(column(func(a searched) float64 { return float64(a.modes) })),
			stats.Median(gap), stats.Mean(gap),
			stats.Median(column(func(a searched) float64 { return a.overPct })))
	}
	var every []searched
	for _, board := range boards {
		for _, job := range jobs {
			var all []searched
			for seed := range seeds {
				if a := searchBoard(t, board, job, uint64(seed)+1); a != nil {
					all = append(all, *a)
				}
			}
			if len(all) > 0 {
				line(fmt.Sprintf("%s %s", board, job), all)
				every = append(every, all...)
			}
		}
	}
	line("all", every)
}

// What a search for 30 W costs the AGX Orin with ResNet-18, the baselines included, and how far its answer is from the
// best mode: medians. Short: three seeds with room for their scatter.
func TestAnswerTakesTwoMinutes(t *testing.T) {
	seeds, mostS, mostGap := 3, 135.0, 5.0
	if os.Getenv("JTUNE_LONG") != "" {
		seeds, mostS, mostGap = 12, 120, 3.5
	}
	var took, gap []float64
	for seed := range seeds {
		a := searchBoard(t, virtual.AGXOrin, "resnet18", uint64(seed)+1)
		if a == nil {
			t.Fatal("no search")
		}
		if p := a.result.Answers[0].Limit.Of(metric.Power); p != 30 {
			t.Fatalf("the limit is %g W", p)
		}
		if a.gapPct > 10 || a.overPct > 5 || a.boardS > 240 {
			t.Errorf("board time %.0f s, gap %.1f %%, power %+.1f %% of the limit: a search should do better",
				a.boardS, a.gapPct, a.overPct)
		}
		took, gap = append(took, a.boardS), append(gap, a.gapPct)
	}
	s, pct := stats.Median(took), stats.Median(gap)
	t.Logf("%d seeds: %.1f s (%.0f to %.0f), gap %.1f %%", seeds, s, slices.Min(took), slices.Max(took), pct)
	if s > mostS || pct > mostGap {
		t.Errorf("an answer takes %.1f s and is %.1f %% slower than the best mode, want at most %g s and %g %%", s, pct,
			mostS, mostGap)
	}
}
