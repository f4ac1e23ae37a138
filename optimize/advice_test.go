package optimize

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
)

func TestOffFront(t *testing.T) {
	t.Parallel()
	at := func(ms, w float64) tegra.Measured { return tegra.Measured{TimeMS: ms, PowerW: w} }
	points := []tegra.Measured{at(100, 40), at(110, 29), at(120, 30), at(200, 15), at(math.NaN(), 1), at(0, 1)}
	for _, c := range []struct {
		name                 string
		p, faster, thriftier tegra.Measured
		off                  bool
	}{
		{"a point of the front is on it", at(110, 29), at(110, 29), at(110, 29), false},
		{"a point behind another is off it both ways", at(120, 30), at(110, 29), at(110, 29), true},
		{"far off, the two ways lead apart", at(250, 35), at(110, 29), at(200, 15), true},
		{"beaten by less than three percent is noise", at(112, 29.5), at(112, 29.5), at(112, 29.5), false},
		{"beaten in power alone", at(201, 20), at(201, 20), at(200, 15), true},
		{"faster than all", at(50, 60), at(50, 60), at(50, 60), false},
	} {
		faster, thriftier, off := OffFront(points, c.p, 0.03, 0.03)
		if faster != c.faster || thriftier != c.thriftier || off != c.off {
			t.Errorf("%s: got %v, %v, %v, want %v, %v, %v",
				c.name, faster, thriftier, off, c.faster, c.thriftier, c.off)
		}
	}
}

func TestTrainingOfAWholeRun(t *testing.T) {
	t.Parallel()
	got := Whole(tegra.Measured{TimeMS: 100, PowerW: 36}, 36_000)
	if got.Time != time.Hour || math.Abs(got.KWh-0.036) > 1e-12 {
		t.Errorf("36,000 minibatches of 100 ms at 36 W: got %v and %v kWh, want 1 h and 0.036", got.Time, got.KWh)
	}
	if got := against(Training{time.Hour, 0.05}, Training{5 * time.Hour / 2, 0.04}); got != "90 min less and 10 Wh "+
		"more than in" {
		t.Errorf("got %q", got)
	}
}

func TestApproachFollowsTheLengthOfTheTraining(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{10 * time.Minute: "continuous learning", time.Hour: "continuous " +
		"learning", 5 * time.Hour: "fine-tuning a model", 60 * time.Hour: "training once on a large dataset"} {
		if got := ApproachFor(d).Scenario; got != want {
			t.Errorf("a training of %v: got %q, want %q", d, got, want)
		}
	}
	if got := len(Approaches()); got != 4 {
		t.Errorf("%d scenarios, the paper has 4", got)
	}
}

// A GPU-bound workload whose cores only burn power, in a mode that wastes it.
func TestAdviceNamesWhatAUserCanGain(t *testing.T) {
	t.Parallel()
	mhz := func(v ...int) (out []tegra.Freq) {
		for _, f := range v {
			out = append(out, tegra.Freq(f)*tegra.MHz)
		}
		return out
	}
	space, err := tegra.NewSpace(
		[]int{2, 4, 8, 12},
		mhz(500, 1000, 1500, 2200),
		mhz(300, 600, 900, 1300),
		mhz(204, 2133, 3199),
	)
	if err != nil {
		t.Fatal(err)
	}
	var samples []tegra.Measured
	for _, m := range space.Sample(40, 1) {
		g := m.GPU.GHz()
		samples = append(
			samples,
			tegra.Measured{
				Setting: tegra.Setting{Mode: m},
				TimeMS:  90/g + 5,
				PowerW:  8 + 6*g*g*g + 0.5*float64(m.Cores)*m.CPU.GHz(),
			},
		)
	}
	model, err := learn.Fit(t.Context(), samples, learn.Options{Space: space, SkipCV: true})
	if err != nil {
		t.Fatal(err)
	}
	top := space.Max()
	lean := tegra.Mode{Cores: 2, CPU: 500 * tegra.MHz, GPU: top.GPU, EMC: top.EMC}
	text := strings.Join(Advice(model, Situation{Mode: top, Present: tegra.Some(top), Minibatches: 360_000}), "\n")
	for _, want := range []string{
		"GPU-bound (GPU ", "knobs by what they change within a factor of two: GPU (time ×", "cores hardly changes " +
			"the time", "CPU hardly changes the time",
		"the present mode (12c/2.20C/1.30G/3.20M) is predicted to lie off the Pareto front", "in no more time", "a " +
			"whole training of 360,000 minibatches takes", "fine-tuning a model",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("advice lacks %q:\n%s", want, text)
		}
	}
	if strings.Count(text, "off the Pareto front") != 1 {
		t.Errorf("the present mode is MAXN: it is to be named once:\n%s", text)
	}
	text = strings.Join(Advice(model, Situation{Mode: lean, Present: tegra.Some(top), Minibatches: 360_000}), "\n")
	if !strings.Contains(text, "Wh less than in the present mode") || strings.Contains(text, "cores hardly") {
		t.Errorf("a lean mode saves energy and its cores are at their least:\n%s", text)
	}
	model.CV = learn.Errors{TimeMAPEPct: 30, PowerMAPEPct: 5, How: "10 folds"}
	text = strings.Join(Advice(model, Situation{Mode: top}), "\n")
	if !strings.Contains(text, "errors of 30 % in time and 5 % in power are too large") ||
		strings.Contains(text, "hardly changes") ||
		strings.Contains(text, "off the Pareto front") {
		t.Errorf("advice of a model that is far off:\n%s", text)
	}
	linear, err := learn.Fit(t.Context(), samples, learn.Options{Method: learn.Linear, Space: space, SkipCV: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := Advice(linear, Situation{Mode: lean}); strings.Contains(strings.Join(got, "\n"), "bound") ||
		!strings.HasPrefix(got[0], "knobs") {
		t.Errorf("a straight line knows no resource: got %q", got)
	}
}

// What is said of knobs, and of the highest mode, must be so in the measured
// sweeps, of which the model knows 50 modes.
func TestAdviceIsTrueOfMeasuredSweeps(t *testing.T) {
	t.Parallel()
	for _, name := range []string{sweeptest.ResNet, sweeptest.MobileNet, sweeptest.LSTM} {
		s := optimizetest.Load(t, name)
		var rows []tegra.Measured
		for _, m := range s.Space.Sample(50, 1) {
			rows = append(rows, s.At[m])
		}
		model, err := learn.Fit(t.Context(), rows, learn.Options{Space: s.Space})
		if err != nil {
			t.Fatal(err)
		}
		top := s.Space.Max()
		// True effects of a knob between the top mode and a factor of two below it.
		var truth [tegra.NumKnobs]float64
		for k := range tegra.NumKnobs {
			for _, r := range s.Rows {
				same := true
				for other := range tegra.NumKnobs {
					same = same && (other == k || r.Mode.Value(other) == top.Value(other))
				}
				if same && r.Mode.Value(k) >= top.Value(k)/2 {
					truth[k] = max(truth[k], r.TimeMS/s.At[top].TimeMS)
				}
			}
		}
		most := learn.KnobEffect{}
		for _, e := range learn.Importance(model, s.Space, top, nearOctaves) {
			if e.TimeX > most.TimeX {
				most = e
			}
			if e.TimeX <= idleX && truth[e.Knob] > 1.08 {
				t.Errorf("%s: %v is said to have no effect on time, it has ×%.2f", name, e.Knob, truth[e.Knob])
			}
		}
		if best := slices.Max(truth[:]); truth[most.Knob] < 0.9*best {
			t.Errorf("%s: %v is said to matter most (×%.2f, truly ×%.2f), another has ×%.2f",
				name, most.Knob, most.TimeX, truth[most.Knob], best)
		}
		for _, line := range Advice(model, Situation{Mode: top}) {
			if !strings.Contains(line, "lie off the Pareto front") {
				continue
			}
			all := slices.Clone(s.Rows)
			if _, _, off := OffFront(all, s.At[top], 0, 0); !off {
				t.Errorf("%s: %q, but no measured mode beats it", name, line)
			}
		}
	}
}
