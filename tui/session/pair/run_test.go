package pair

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/optimize/mix"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/virtual"
	"jtune/tui/session"
	"jtune/tui/session/config"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// pairOf is a search for the pair of the other tests.
func pairOf(t *testing.T, s *session.Session) Request {
	t.Helper()
	train := must.Get(workloads.Find(s, "resnet18"))(t)
	infer := must.Get(workloads.Find(s, "mobilenet-infer"))(t)
	return Request{Train: train, Infer: infer, Batches: []int{4, 16},
		PairAsked: record.PairAsked{Requests: 200, Pairs: 3},
		Question: metric.Question{Limit: metric.Watts(30),
			Load: arrivals.Spec{RatePerS: 60, Arrivals: "uniform", LatencyMS: 500, Quantile: 0.95}}}
}

func TestPairIsMeasuredAndKeepsItsLimits(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	before, r := s.Setup().Mode, pairOf(t, s)
	r.Mixes = true
	found := must.Get(Search(t.Context(), s, r, nil))(t)
	checkMixes(t, found)
	for _, p := range found.Probes {
		t.Logf("%v: predicted %.2f/s p95 %.0f ms %.1f W; measured %.2f/s %.0f ms %.1f W %s", p.Row.Setting,
			p.Predicted.TrainPerS, p.Predicted.LatencyMS, p.Predicted.PeakW, p.TrainPerS, p.LatencyMS, p.PeakW, p.Why())
	}
	row := found.Row
	if !found.Feasible || row == nil || row.Pair == nil || found.PeakW > 30 || found.LatencyMS > 500 ||
		found.TrainPerS <= 0 || math.Abs(found.ServedPerS/60-1) > 0.05 || len(found.Probes) > 3 {
		t.Errorf("answer %+v of %d pairs", found.Outcome, len(found.Probes))
	}
	if found.TrainAlonePerS <= found.TrainPerS || found.Alone.IdleShare <= found.IdleShare ||
		!found.Apart.OK || found.marginalJ() <= 0 {
		t.Errorf("alone %.2f/s and idle %.2f, together %.2f/s and %.2f, a request %.3f J", found.TrainAlonePerS,
			found.Alone.IdleShare, found.TrainPerS, found.IdleShare, found.marginalJ())
	}
	must.Equal(t, s.Setup().Mode, before)
	rare := pairOf(t, s)
	rare.Load.Quantile = 0.999
	if _, err := Search(t.Context(), s, rare, nil); !usage.Is(err) || !strings.Contains(err.Error(), "p99.9") {
		t.Errorf("a quantile above those that are recorded: %v", err)
	}
	head, rows, err := record.Read(found.Dir)
	if err != nil || head.Pair == nil || head.Pair.Train.Name != "resnet18" || !head.Device.Virtual ||
		len(rows) != len(found.Probes)+1 {
		t.Fatalf("record: %d rows, %v", len(rows), err)
	}
	for i, row := range rows {
		if p := row.Pair; p == nil || p.MeanW <= 0 || p.Latency.N < 200 || p.Latency.P95 < p.Latency.P50 ||
			(p.Policy == record.Alone) != (i == len(rows)-1) || row.Extra == nil {
			t.Errorf("row %d: %+v", i, p)
		}
	}
	// the profiles of both serve the next question
	again := pairOf(t, s)
	again.Limit.Limits, again.Policy, again.Pairs, again.Separate = metric.Power.Max(22), mix.Strict, 1, true
	second, err := Search(t.Context(), s, again, func(e measure.Event) {
		n, _ := e.(measure.NoteEvent)
		if note := string(n); strings.Contains(note, "measuring") && strings.Contains(note, "first") {
			t.Errorf("the second question: %s", note)
		}
	})
	if second.Row == nil || second.Policy != mix.Strict || (err == nil) != (second.PeakW <= 22) {
		t.Errorf("the second question: %+v, %v", second.Outcome, err)
	}
	// windows of half a second are too short for two modes
	if v := second.Separate; v == nil || v.Offered != (2*v.SwitchS < 0.05*v.WindowS) || v.SwitchS < 0 || v.PeakW > 22 ||
		v.Train == v.Infer.Mode {
		t.Errorf("separate modes: %+v", v)
	}
	var lines []string
	hours := PairHours{Serve: Hours{7 * time.Hour, 22 * time.Hour}, Train: Hours{22 * time.Hour, 7 * time.Hour}}
	must.NoError(t, PairByHours(t.Context(), s, again, hours, 3, func(e measure.Event) {
		note, _ := e.(measure.NoteEvent)
		lines = append(lines, string(note))
	}))
	lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.Contains(l, " for ") })
	if len(lines) != 3 || strings.Contains(lines[0], "resnet18") == strings.Contains(lines[1], "resnet18") ||
		!strings.HasPrefix(lines[1], "07:00") && !strings.HasPrefix(lines[1], "22:00") {
		t.Errorf("by the time of day: %q", lines)
	}
	// a rate that nothing can serve cannot be measured: the prediction says what comes nearest
	again = pairOf(t, s)
	again.Load.RatePerS, again.Pairs = 100_000, 1
	_, err = Search(t.Context(), s, again, nil)
	var none *mix.NoSettingError
	if !errors.As(err, &none) || none.Tried > 0 || !strings.Contains(err.Error(), "at most") {
		t.Errorf("%v", err)
	}
	must.Equal(t, s.Setup().Mode, before)
}

// A repetition of one setting asks for that setting.
func TestPairInOneSettingIsRepeatedThere(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	r := pairOf(t, s)
	r.At = &tegra.Setting{Mode: s.Device.Space().Max(), Batch: 16}
	again, err := PairSearchOf(pairHeader(s, r), r.Train, r.Infer)
	if err != nil || again.At == nil || *again.At != *r.At {
		t.Errorf("%+v, %v", again.At, err)
	}
}

func TestPairRefusesJobsThatNeedMoreMemoryThanIsFree(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:orin-nano", Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}})
	r := pairOf(t, s)
	pairs := func(train, infer string) error {
		jobs := must.Get(PairJobs(s, train, infer))(t)
		r.Train, r.Infer = jobs.Train, jobs.Infer
		return mayPair(s, r)
	}
	must.NoError(t, pairs("lstm", "mobilenet-infer"))
	if err := pairs("bert", "mobilenet-infer"); !errors.Is(err, tegra.ErrUnsupported) ||
		!strings.Contains(err.Error(), "bert needs 6200 MB (simulated)") ||
		!strings.Contains(err.Error(), "did not run (DNR)") {
		t.Errorf("two large jobs: %v", err)
	}
}

// A small board runs a pair without a batch size named: those that do not fit beside the training are left out before
// anything is measured, and what has been measured since refuses no later pair.
func TestPairOnASmallBoardLeavesOutTheBatchesThatDoNotFit(t *testing.T) {
	t.Parallel()
	s := sessiontest.Open(t, session.Options{Device: "virtual:nano", Speed: math.Inf(1),
		Paths: config.Paths{DataDir: t.TempDir()}})
	r := must.Get(PairJobs(s, "lenet5", "yolov8n-infer"))(t)
	r.fitting(s)
	if !slices.Contains(r.Batches, 1) || slices.Contains(r.Batches, 64) {
		t.Errorf("batch sizes %v beside LeNet on a Nano", r.Batches)
	}
	for range 2 {
		must.NoError(t, mayPair(s, r))
		_, err := measure.Profile(t.Context(), s, measure.ProfileRequest{Measuring: measure.Measuring{
			Workload: r.Infer, Batches: r.Batches}, Sample: 3}, nil)
		must.NoError(t, err)
	}
}

// A job that dies, or keeps its turn, costs the pair its row: the reason is recorded and the board restored.
func TestPairWhoseJobDiesLeavesTheBoardAsItWas(t *testing.T) {
	t.Parallel()
	for want, faults := range map[string]virtual.Faults{"died": {DieAfter: 60}, "give it back": {HangAfter: 60}} {
		s := sessiontest.Fast(t)
		before := s.Setup().Mode
		s.Virtual.Inject(faults)
		r := pairOf(t, s)
		r.At = &tegra.Setting{Mode: s.Device.Space().Max(), Batch: 16}
		found, err := Search(t.Context(), s, r, nil)
		if err == nil || !strings.Contains(err.Error(), want) || found.Row != nil {
			t.Errorf("%v, want %s", err, want)
		}
		if _, rows, err := record.Read(found.Dir); err != nil || len(rows) != 1 || rows[0].Status != record.Failed ||
			!strings.Contains(rows[0].Why, want) {
			t.Errorf("recorded %+v, %v", rows, err)
		}
		must.Equal(t, s.Setup().Mode, before)
	}
}

func TestParseHoursTakesTimesOfDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Hours
	}{
		{"07:00-22:30", Hours{7 * time.Hour, 22*time.Hour + 30*time.Minute}},
		{"22:00-07:00", Hours{22 * time.Hour, 7 * time.Hour}},
		{"9:00-24:00", Hours{9 * time.Hour, 0}},
	} {
		if got, err := ParseHours(c.text); err != nil || got != c.want {
			t.Errorf("%s: %v, %v", c.text, got, err)
		}
	}
	for _, text := range []string{"", "7-22", "07:00", "25:00-07:00", "07:60-08:00", "07:00-07:00", "07:00-08:00 x",
		"-1:00-07:00", "07:00-24:30"} {
		if got, err := ParseHours(text); !usage.Is(err) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	day := PairHours{Serve: Hours{7 * time.Hour, 22 * time.Hour}, Train: Hours{22 * time.Hour, 7 * time.Hour}}
	if day.check() != nil || day.next(7*time.Hour) != 15*time.Hour || day.next(6*time.Hour) != time.Hour {
		t.Errorf("next after 7:00 in %v, after 6:00 in %v", day.next(7*time.Hour), day.next(6*time.Hour))
	}
	day.Train.From = 21 * time.Hour
	if !usage.Is(day.check()) {
		t.Error("hours that overlap are taken")
	}
}

func TestPairInOneSettingSaysWhichLimitItBreaks(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	r := pairOf(t, s)
	at := tegra.Setting{Mode: s.Device.Space().Max(), Batch: 16}
	r.Limit.Limits, r.At, r.Policy, r.Compare = metric.Power.Max(9), &at, mix.Free, true
	found, err := Search(t.Context(), s, r, nil)
	var none *mix.NoSettingError
	if !errors.As(err, &none) || none.Tried != 1 || strings.Contains(err.Error(), "no power mode") ||
		found.Feasible || found.Row == nil || found.Row.Setting != at ||
		found.Row.Pair.Policy != record.Free || found.Row.Pair.IdleShare.OK || found.FreeRow == nil ||
		found.AloneRow == nil || len(found.Probes) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestPairRefusesWhatCannotShareAGPU(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	for want, change := range map[string]func(*Request){
		"answers requests": func(r *Request) { r.Train = r.Infer },
		"trains":           func(r *Request) { r.Infer = r.Train },
		"needs a rate":     func(r *Request) { r.Load = arrivals.Spec{} },
		"takes no turns":   func(r *Request) { r.Infer.Container.Image = "x" },
	} {
		r := pairOf(t, s)
		change(&r)
		if _, err := Search(t.Context(), s, r, nil); !usage.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
