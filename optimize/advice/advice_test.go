package advice

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

// A mode is off the front only beyond the errors: of readings if both modes were measured, of the model if one is
// predicted.
func TestOffTheFrontOnlyBeyondTheErrors(t *testing.T) {
	t.Parallel()
	at := func(ms, w float64, read bool) point { return point{tegra.Measured{TimeMS: ms, PowerW: w}, read} }
	cv := learn.Errors{TimeMAPEPct: 6, PowerMAPEPct: 4, How: "10 folds"}
	for _, c := range []struct {
		name     string
		cv       learn.Errors
		p, other point
		off      bool
	}{
		{"by more than a reading's error, both measured", cv, at(100, 30, true), at(96, 28, true), true},
		{"by less than a reading's error", cv, at(100, 30, true), at(98, 28, true), false},
		{"by more than the model's errors", cv, at(100, 30, true), at(93, 28, false), true},
		{"by less than its error of time", cv, at(100, 30, true), at(96, 25, false), false},
		{"by less than its error of power", cv, at(100, 30, true), at(80, 29.3, false), false},
		{"itself predicted", cv, at(100, 30, false), at(96, 28, true), false},
		{"less power in the same time, which may be more", cv, at(58.8, 50, true), at(58.8, 46.5, false), false},
		{"of a model whose errors are not known", learn.Errors{}, at(100, 30, true), at(50, 10, false), false},
		{"nothing is known of the other", cv, at(100, 30, true), at(math.NaN(), 1, false), false},
	} {
		a := &adviser{model: &learn.Model{CV: c.cv}, points: func() []point { return []point{c.p, c.other} }}
		faster, thriftier, off := a.better(c.p)
		if off != c.off || off && (faster != c.other || thriftier != c.other) {
			t.Errorf("%s: got %v, %v, %v, want %v", c.name, faster, thriftier, off, c.off)
		}
	}
	points := []point{at(100, 29, true), at(200, 15, true), at(50, 60, true)}
	a := &adviser{model: &learn.Model{CV: cv}, points: func() []point { return points }}
	faster, thriftier, off := a.better(at(250, 35, true))
	if !off || faster != points[0] || thriftier != points[1] {
		t.Errorf("far off, the two ways lead apart: got %v, %v, %v", faster, thriftier, off)
	}
}

func TestTrainingOfAWholeRun(t *testing.T) {
	t.Parallel()
	got := TrainingOf(tegra.Measured{TimeMS: 100, PowerW: 36}, 36_000)
	if got.Time != time.Hour || math.Abs(got.KWh-0.036) > 1e-12 {
		t.Errorf("36,000 minibatches of 100 ms at 36 W: got %v and %v kWh, want 1 h and 0.036", got.Time, got.KWh)
	}
	if got := Against(Training{time.Hour, 0.05}, Training{5 * time.Hour / 2, 0.04}); got != "90 min less and 10 Wh "+
		"more than" {
		t.Errorf("got %q", got)
	}
}

func TestHalfOfTwoCoresIsOneCore(t *testing.T) {
	t.Parallel()
	for cores, want := range map[int]string{1: "1 core", 2: "2 cores"} {
		if got := (Half{Knob: tegra.KnobCores, To: tegra.Mode{Cores: cores}}).setting(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestApproachFollowsTheLengthOfTheTraining(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{10 * time.Minute: "continuous learning", time.Hour: "continuous " +
		"learning", 5 * time.Hour: "fine-tuning a model", 60 * time.Hour: "training once on a large dataset"} {
		if got := suits.Say(long{d.Hours()}); !strings.Contains(got, "("+want+")") {
			t.Errorf("a training of %v: got %q, want %q", d, got, want)
		}
	}
	if got := len(Approaches()); got != 4 {
		t.Errorf("%d scenarios, the paper has 4", got)
	}
}

// A GPU-bound workload with idle cores that waste power.
func TestAdviceNamesWhatAUserCanGain(t *testing.T) {
	t.Parallel()
	mhz := func(v ...int) (out []tegra.Freq) {
		for _, f := range v {
			out = append(out, tegra.Freq(f)*tegra.MHz)
		}
		return out
	}
	space := must.Get(tegra.NewSpace([]int{2, 4, 8, 12}, mhz(500, 1000, 1500, 2200), mhz(300, 600, 900, 1300),
		mhz(204, 2133, 3199)))(t)
	var samples []tegra.Measured
	for _, m := range space.Sample(40, 1) {
		g := m.GPU.GHz()
		samples = append(samples, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: 90/g + 5,
			PowerW: 8 + 6*g*g*g + 0.5*float64(m.Cores)*m.CPU.GHz()})
	}
	model := must.Get(learn.Fit(t.Context(), samples, learn.Options{Space: space}))(t)
	top := space.Max()
	lean := tegra.Mode{Cores: 2, CPU: 500 * tegra.MHz, GPU: top.GPU, EMC: top.EMC}
	said := strings.Join(Of(model, Situation{Mode: top, Present: inMode(lean), Minibatches: 360_000}), "\n")
	for _, want := range []string{
		"halving one setting of 12c/2.20C/1.30G/3.20M: GPU 600 MHz +1", // 108 % by the law
		"cores can go down: 8 cores cost 0.",
		"CPU can go down: CPU 1.00 GHz cost 0.",
		"a whole training of 360,000 minibatches takes",
		"fine-tuning a model",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("advice lacks %q:\n%s", want, said)
		}
	}
	doubted := strings.Join(Findings(model, Situation{Mode: top, Minibatches: 36_000,
		Answer: tegra.Measured{TimeMS: 300, PowerW: 40}}), "\n")
	if want := "a whole training of 36,000 minibatches takes 3.0 h and 120 Wh"; !strings.Contains(doubted, want) {
		t.Errorf("beside an answer that the model doubts:\n%s, want %q", doubted, want)
	}
	if strings.Contains(said, "GPU can go down") {
		t.Errorf("half of the GPU clock doubles the time:\n%s", said)
	}
	wasteful := tegra.Mode{Cores: 12, CPU: top.CPU, GPU: 900 * tegra.MHz, EMC: top.EMC}
	preset := tegra.Preset{Name: "HOT", Mode: tegra.Mode{Cores: 12, CPU: top.CPU, GPU: 600 * tegra.MHz, EMC: top.EMC}}
	worth := Situation{Mode: top, Present: inMode(wasteful), Presets: []tegra.Preset{preset}, Minibatches: 360_000}
	found := strings.Join(Findings(model, worth), "\n")
	if !strings.Contains(found, "today's mode (12c/2.20C/0.90G/3.20M) lies off the Pareto front") ||
		strings.Contains(found, "halving one setting") || strings.Contains(found, "fine-tuning") ||
		strings.Contains(found, "HOT") {
		t.Errorf("what an answer is worth:\n%s", found)
	}
	if said := strings.Join(Of(model, worth), "\n"); !strings.Contains(said, "preset HOT (12c/2.20C/0.60G/3.20M) "+
		"lies off the Pareto front") {
		t.Errorf("advice lacks the preset off the front:\n%s", said)
	}
	said = strings.Join(Of(model, Situation{Mode: lean, Present: inMode(top), Minibatches: 360_000}), "\n")
	if !strings.Contains(said, "Wh less than in today's mode") || strings.Contains(said, "cores can") {
		t.Errorf("a lean mode saves energy and its cores are at their least:\n%s", said)
	}
	free := Situation{Mode: lean, Present: inMode(top), Minibatches: 360_000}
	free.Present.Locked = tegra.Some(false)
	said = strings.Join(Of(model, free), "\n")
	if !strings.Contains(said, "less than in today's mode (clocks locked)") {
		t.Errorf("the model describes locked clocks, the board's are free:\n%s", said)
	}
	for want, cv := range map[string]learn.Errors{
		"errors of 30 % in time and 5 % in power are too large": {TimeMAPEPct: 30, PowerMAPEPct: 5, How: "10 folds"},
		"errors are not known": {},
	} {
		model.CV = cv
		said = strings.Join(Of(model, Situation{Mode: top}), "\n")
		if !strings.Contains(said, want) || strings.Contains(said, "can go down") ||
			strings.Contains(said, "off the Pareto front") {
			t.Errorf("advice of a model that is far off lacks %q:\n%s", want, said)
		}
	}
	linear, err := learn.Fit(t.Context(), samples, learn.Options{Method: learn.Linear, Space: space, SkipCV: true})
	must.NoError(t, err)
	if got := Of(linear, Situation{Mode: lean}); got[0] != Decides(linear, lean) ||
		!strings.HasPrefix(got[0], "halving one setting of 2c/0.50C/1.30G/3.20M: GPU 600 MHz +") {
		t.Errorf("what decides by a straight line: got %q", got)
	}
}

// A cost that nothing near it was measured for is no reason to go down.
func TestHalfBeyondWhatWasMeasuredIsNotFree(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	var high []tegra.Measured
	for _, m := range b.All() {
		if m.Mode.EMC == b.Space.Max().EMC && len(high) < 40 {
			m.TimeMS, m.PowerW = 100, 10+float64(m.Mode.Cores)
			high = append(high, m)
		}
	}
	model := must.Get(learn.Fit(t.Context(), high, learn.Options{Space: b.Space}))(t)
	for _, h := range halves(model, b.Space.Max()) {
		if h.Knob == tegra.KnobEMC && (!h.Beyond || canGoDown.Say(h.lowered()) != "") {
			t.Errorf("memory was measured at its highest clock alone: got %+v", h)
		}
	}
}

// The advice on knobs and on the highest mode must be true in the measured sweeps, of which the model has 50 modes.
func TestAdviceIsTrueOfMeasuredSweeps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sweeptest.ResNet, sweeptest.MobileNet, sweeptest.LSTM} {
		s := optimizetest.Load(t, name)
		var rows []tegra.Measured
		for _, m := range s.Space.Sample(50, 1) {
			rows = append(rows, s.At[m])
		}
		model := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: s.Space}))(t)
		top := s.Space.Max()
		said := Of(model, Situation{Mode: top})
		for _, h := range halves(model, top) {
			truth, ok := s.At[h.To]
			if !ok {
				continue
			}
			cost := 100 * (truth.TimeMS/s.At[top].TimeMS - 1)
			// Single readings of both, which scatter by 3 %.
			if canGoDown.Say(h.lowered()) != "" && cost > mostCostPct+5 {
				t.Errorf("%s: the advice says that %v costs nothing, truly %.0f %%", name, h, cost)
			}
			if math.Abs(math.Log((100+h.TimePct)/(100+cost))) > 0.15 { // a model's 5 % and two readings, twice over
				t.Errorf("%s: %v, truly %.0f %%", name, h, cost)
			}
		}
		for _, line := range said {
			if !strings.Contains(line, "off the Pareto front") {
				continue
			}
			if !slices.ContainsFunc(s.Rows, func(r tegra.Measured) bool {
				return r.TimeMS < s.At[top].TimeMS && r.PowerW < s.At[top].PowerW
			}) {
				t.Errorf("%s: %q, but no measured mode beats it", name, line)
			}
		}
	}
}

// inMode is a board in a mode, with nothing else known.
func inMode(m tegra.Mode) tegra.Setup { return tegra.Setup{Mode: tegra.Some(m)} }
