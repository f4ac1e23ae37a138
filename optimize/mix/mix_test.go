package mix

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"jtune/internal/arrivals"
	"jtune/internal/testhome"
	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep/sweeptest"
)

// known returns a measured setting as a prediction.
func known(batch int, timeMS, powerW float64) learn.Prediction {
	return optimize.MeasuredPrediction(tegra.Measured{Setting: tegra.Setting{Mode: oneMode, Batch: batch},
		TimeMS: timeMS,
		PowerW: powerW})
}

var oneMode = tegra.Mode{Cores: 4, CPU: 1e9, GPU: 1e9, EMC: 2e9}

// The worked example of docs/method.md: 60 requests per second in batches of 16, 28 ms per batch, with minibatches of
// 60 ms.
func TestAskEvaluatesTheWorkedExample(t *testing.T) {
	t.Parallel()
	at := tegra.Setting{Mode: oneMode, Batch: 16}
	infer, train := NewPhase([]learn.Prediction{known(16, 28, 20)}), NewPhase([]learn.Prediction{known(0, 60, 30)})
	base := Ask{Load: load(arrivals.Uniform, 60), IdleW: 8}
	window := 16.0 / 60
	for _, c := range []struct {
		name  string
		ask   func(*Ask)
		train Phase
		want  Outcome
	}{
		{"alone", func(*Ask) {}, Phase{}, Outcome{LatencyMS: 278, PeakW: 20, MeanW: 8 + 12*0.105, IdleShare: 0.895}},
		{"by Fulcrum's bound", func(a *Ask) { a.Fulcrum = true }, Phase{},
			Outcome{LatencyMS: 294.667, PeakW: 20, MeanW: 8 + 12*0.105, IdleShare: 0.895}},
		{"strict", func(*Ask) {}, train, Outcome{LatencyMS: 278, PeakW: 30, Tau: 3, TrainPerS: 11.25,
			MeanW: (0.028*20 + 0.18*30 + (window-0.208)*8) / window, IdleShare: 1 - 0.208/window}},
		{"strict, one at most", func(a *Ask) { a.Tau = 1 }, train, Outcome{LatencyMS: 278, PeakW: 30, Tau: 1,
			TrainPerS: 3.75, MeanW: (0.028*20 + 0.06*30 + (window-0.088)*8) / window, IdleShare: 1 - 0.088/window}},
		{"fill", func(a *Ask) { a.Policy = Fill }, train, Outcome{LatencyMS: 338, PeakW: 30, TrainPerS: 0.895 / 0.06,
			MeanW: 0.105*20 + 0.895*30}},
	} {
		a := base
		c.ask(&a)
		got, ok := a.Evaluate(at, infer, c.train)
		c.want.ServedPerS, c.want.Rho, c.want.BusyJPerUnit = 60, 0.105, 20*0.028/16
		c.want.JPerUnit = c.want.MeanW / 60
		for _, v := range []struct {
			what      string
			got, want float64
		}{
			{"latency", got.LatencyMS, c.want.LatencyMS}, {"peak", got.PeakW, c.want.PeakW},
			{"mean", got.MeanW, c.want.MeanW}, {"idle", got.IdleShare, c.want.IdleShare},
			{"training", got.TrainPerS, c.want.TrainPerS}, {"τ", float64(got.Tau), float64(c.want.Tau)},
			{"served", got.ServedPerS, 60}, {"busy", got.Rho, 0.105}, {"J", got.JPerUnit, c.want.JPerUnit},
			{"busy J", got.BusyJPerUnit, c.want.BusyJPerUnit},
		} {
			if !ok || math.Abs(v.got-v.want) > 1e-3*max(1, v.want) {
				t.Errorf("%s: %s is %v, want %v", c.name, v.what, v.got, v.want)
			}
		}
	}
}

func TestAskOfAClosedLoopServesAsFastAsItCan(t *testing.T) {
	t.Parallel()
	infer := NewPhase([]learn.Prediction{known(4, 20, 20)})
	for _, c := range []struct {
		outstanding     int
		served, latency float64
	}{{1, 50, 20}, {4, 200, 20}, {9, 200, 60}, {arrivals.All, 200, 20}} {
		a := Ask{Load: arrivals.Load{Outstanding: c.outstanding}, IdleW: math.NaN()}
		o, ok := a.Evaluate(tegra.Setting{Mode: oneMode, Batch: 4}, infer, Phase{})
		if !ok || math.Abs(o.ServedPerS-c.served) > 1e-9 || math.Abs(o.LatencyMS-c.latency) > 1e-9 ||
			o.MeanW != 20 || math.Abs(o.JPerUnit*c.served-20) > 1e-9 {
			t.Errorf("%d outstanding: %+v", c.outstanding, o)
		}
	}
}

// Why a setting is refused has one value for each quantity: it names the value that the answer has, and its uncertainty
// only where that alone breaks the limit.
func TestWhyNamesOneValuePerQuantity(t *testing.T) {
	t.Parallel()
	doubtful := known(1, 20, 20)
	doubtful.LnPowerSD, doubtful.LnTimeSD = 0.1, 0.1
	infer := NewPhase([]learn.Prediction{doubtful})
	list := []tegra.Setting{{Mode: oneMode, Batch: 1}}
	for _, c := range []struct {
		limit metric.Goal
		want  string
	}{
		{metric.Watts(15), "power 20 W, over 15 W"},
		{metric.Watts(21), "power 20 ± 2.10 W, over 21 W"},
		{metric.Millis(15), "batch 20 ms, over 15 ms"},
	} {
		_, err := Ask{Load: load(arrivals.Uniform, 20), Goal: c.limit}.Choose(list, infer, Phase{})
		var none *NoSettingError
		if !errors.As(err, &none) || none.Nearest.Why() != c.want {
			t.Errorf("%+v: got %v, want %q", c.limit, err, c.want)
		}
	}
}

func TestAskSaysWhatIsMissed(t *testing.T) {
	t.Parallel()
	infer := NewPhase([]learn.Prediction{known(1, 20, 20), known(4, 40, 30)})
	list := []tegra.Setting{{Mode: oneMode, Batch: 1}, {Mode: oneMode, Batch: 4}}
	var none *NoSettingError
	for _, c := range []struct {
		ask  Ask
		want string
	}{
		{Ask{Load: load(arrivals.Uniform, 200)}, "busy 200 % of the time, over 100 %"},
		{Ask{Load: load(arrivals.Uniform, 100_000)}, "busy"},
		{Ask{Load: load(arrivals.Uniform, 40), LatencyMS: 10}, "latency"},
		{Ask{Load: load(arrivals.Uniform, 40), Goal: metric.Watts(10)}, "power"},
		{Ask{Load: load(arrivals.Uniform, 40), Goal: metric.Millis(10)}, "batch"},
		{Ask{Load: load(arrivals.Poisson, 98)}, "busy"},
		{Ask{Load: load(arrivals.Poisson, 45), LatencyMS: 60}, "latency"},
	} {
		_, err := c.ask.Choose(list, infer, Phase{})
		if !errors.As(err, &none) || !errors.Is(err, optimize.ErrInfeasible) ||
			!strings.Contains(none.Nearest.Why(), c.want) {
			t.Errorf("%v: got %v, want a miss of %s", c.ask, err, c.want)
		}
		if strings.Contains(err.Error(), "e+") {
			t.Errorf("%v: a number with an exponent: %v", c.ask, err)
		}
	}
	for _, a := range []Ask{{Goal: metric.Watts(math.NaN())}, {Quantile: 2}, {MaxWait: -1},
		{Load: load(arrivals.Poisson, 0)},
		{Goal: metric.Watts(10), PowerAs: Mean, IdleW: math.NaN(), Load: load(arrivals.Uniform, 1)}} {
		if _, err := a.Choose(list, infer, Phase{}); err == nil || errors.As(err, &none) {
			t.Errorf("%+v: got %v", a, err)
		}
	}
	if o, err := (Ask{Load: load(arrivals.Poisson, 45), LatencyMS: 200}).Choose(list, infer, Phase{}); err != nil ||
		len(o) != 1 || o[0].Batch != 4 {
		t.Errorf("45/s Poisson within 200 ms: %+v, %v", o, err)
	}
}

func TestPhaseOfAPartialBatchIsLinearBetweenSizes(t *testing.T) {
	t.Parallel()
	p := NewPhase([]learn.Prediction{known(16, 40, 20), known(4, 16, 20)})
	got := p.times(tegra.Setting{Mode: oneMode, Batch: 16}, 2)
	for k, want := range map[int]float64{1: 32, 4: 32, 10: 56, 16: 80} {
		if math.Abs(1000*got[k]-want) > 1e-9 {
			t.Errorf("a batch of %d takes %v ms, want %v", k, 1000*got[k], want)
		}
	}
}

func asKnown(rows []tegra.Measured) []learn.Prediction {
	out := make([]learn.Prediction, len(rows))
	for i, m := range rows {
		out[i] = optimize.MeasuredPrediction(m)
	}
	return out
}

// Choose against brute force on random problems with true values.
func TestAskChoosesWhatBruteForceFinds(t *testing.T) {
	t.Parallel()
	problems := 60
	if os.Getenv("JTUNE_LONG") != "" {
		problems = 500
	}
	for _, name := range []string{"infer/mobnet_infer", "infer/resnet_infer"} {
		rows := sweeptest.Settings(t, name)
		list, phase := tegra.SettingsOf(rows), NewPhase(asKnown(rows))
		rng := rand.New(rand.NewPCG(1, 2))
		found := 0
		for range problems {
			a := Ask{Load: load(arrivals.Uniform, 5+115*rng.Float64()), LatencyMS: 20 + 980*rng.Float64(),
				Goal:    metric.Watts(12 + 40*rng.Float64()),
				Want:    []Want{LeastPower, LeastTime, LeastEnergy}[rng.IntN(3)],
				PowerAs: []PowerAs{Peak, Mean}[rng.IntN(2)], IdleW: 9, Fulcrum: rng.IntN(2) == 0}
			best, least := -1, math.Inf(1)
			for i, m := range rows {
				s, b, l := m.TimeMS/1000, float64(m.Batch), a.Load.RatePerS
				latency := (b-1)/l + s
				if a.Fulcrum {
					latency = b/l + s
				}
				mean, power := l*s/b*m.PowerW+(1-l*s/b)*9, m.PowerW
				if a.PowerAs == Mean {
					power = mean
				}
				if l*s > b || latency > a.LatencyMS/1000 || power > a.Goal.Of(metric.Power) {
					continue
				}
				goal := map[Want]float64{LeastPower: power, LeastTime: s, LeastEnergy: mean / l}[a.Want]
				if goal < least {
					best, least = i, goal
				}
			}
			got, err := a.Choose(list, phase, Phase{})
			switch {
			case best < 0:
				if !errors.Is(err, optimize.ErrInfeasible) {
					t.Errorf("%s %v: got %v, there is none", name, a, err)
				}
			case err != nil:
				t.Errorf("%s %v: %v, want %v", name, a, err, rows[best])
			default:
				found++
				goal, _ := a.Want.value(&got[0], a.PowerAs)
				if got[0].Setting != rows[best].Setting && math.Abs(goal-least) > 1e-12*least {
					t.Errorf("%s %v: got %v, want %v", name, a, got[0], rows[best])
				}
			}
		}
		if found < problems/3 {
			t.Errorf("%s: %d problems have an answer", name, found)
		}
	}
}

// With random arrivals the answer is the one that simulating every setting gives.
func TestAskChoosesWhatSimulatingEverySettingFinds(t *testing.T) {
	t.Parallel()
	rows := sweeptest.Settings(t, "infer/mobnet_infer")
	problems, settings := 2, 40
	if os.Getenv("JTUNE_LONG") != "" {
		problems, settings = 40, 200
	}
	rng := rand.New(rand.NewPCG(5, 6))
	phase := NewPhase(asKnown(rows))
	for range problems {
		a := Ask{Load: load(arrivals.Poisson, 20+80*rng.Float64()), LatencyMS: 60 + 400*rng.Float64(),
			MaxWait: time.Duration(rng.IntN(2)) * 30 * time.Millisecond, IdleW: 9}
		var list []tegra.Setting
		for _, i := range rng.Perm(len(rows))[:settings] {
			list = append(list, rows[i].Setting)
		}
		best := Outcome{PeakW: math.Inf(1)}
		for _, at := range list {
			o, ok := a.Evaluate(at, phase, Phase{})
			if ok && o.Meets && o.LatencyMS <= a.LatencyMS && a.compare(&o, &best, LeastPower) < 0 {
				best = o
			}
		}
		got, err := a.Choose(list, phase, Phase{})
		switch {
		case best.TimeMS == 0 && !errors.Is(err, optimize.ErrInfeasible):
			t.Errorf("%v: got %v, %v, there is none", a, got, err)
		case best.TimeMS > 0 && (err != nil || got[0].Setting != best.Setting):
			t.Errorf("%v: got %v, %v, want %v", a, got, err, best)
		}
	}
}

// The optimum of Fulcrum's own files, with its bound and its goal: most minibatches per window.
func TestAskFindsTheOptimaOfTheFulcrumFiles(t *testing.T) {
	t.Parallel()
	every := 150
	if os.Getenv("JTUNE_LONG") != "" {
		every = 1
	}
	infer := sweeptest.Settings(t, "infer/mobnet_infer")
	for _, name := range []string{"resnet", "mobnet"} {
		all := sweeptest.Settings(t, "train/"+name+"_train")
		train := NewPhase(asKnown(all))
		phase, list := NewPhase(asKnown(infer)), tegra.SettingsOf(infer)
		rows, equal, solved := fulcrumRows(t, "fig8_interleaved_"+name+"_train_mobnet_infer_multi_al.csv.gz"), 0, 0
		for i, r := range rows {
			if i%every != 0 {
				continue
			}
			a := Ask{Load: load(arrivals.Uniform, r["arr_rate"]), LatencyMS: 1000 * r["time_budget"],
				Goal: metric.Watts(r["power_budget"]), Quantile: 1, Fulcrum: true, Want: MostTau,
				IdleW: math.NaN()}
			got, err := a.Choose(list, phase, train)
			want, feasible := r["num_train_batches_optim"]
			switch {
			case !feasible && errors.Is(err, optimize.ErrInfeasible):
			case feasible && err == nil && float64(got[0].Tau) == want:
				equal++
				solved++
			default:
				solved++
				t.Errorf("%s row %d %v: got %v, %v, want τ %v (%v)", name, i+2, a, got[:min(1, len(got))], err, want,
					feasible)
			}
			if t.Failed() {
				break
			}
		}
		t.Logf("%s: τ equal in %d of %d rows with an answer, of %d", name, equal, solved, (len(rows)+every-1)/every)
	}
}

// If two mixes have equally many whole minibatches, the one that is expected to train more is the better, by the window
// or by the second.
func TestWantOfTrainingCountsTheMinibatchesExpected(t *testing.T) {
	t.Parallel()
	even := Outcome{Tau: 2, TrainPerS: 2, windowS: 1, PeakW: 20}
	more, less, often := even, even, even
	more.more, less.more = 0.3, -0.3
	often.more, often.windowS = 0.2, 0.5 // 0.4 a second
	for want, order := range map[Want][]Outcome{MostTau: {more, often, even, less},
		MostTraining: {often, more, even, less}} {
		for i := range order[1:] {
			if (&Ask{}).compare(&order[i], &order[i+1], want) >= 0 {
				t.Errorf("%s: %v minibatches more in %v s are no better than %v more in %v s", want, order[i].more,
					order[i].windowS, order[i+1].more, order[i+1].windowS)
			}
		}
	}
}

// Minibatches that fill the room between two batches exactly all fit, and a server that is busy exactly all the time is
// in time with even arrivals.
func TestAskOfStrictTurnsFillsTheRoomExactly(t *testing.T) {
	t.Parallel()
	a := Ask{Load: load(arrivals.Uniform, 10), LatencyMS: 1000, IdleW: 8}
	for n := 1; n <= 20; n++ {
		for _, serve := range []float64{30, 70} {
			train := NewPhase([]learn.Prediction{known(0, (100-serve)/float64(n), 30)})
			o, ok := a.Evaluate(tegra.Setting{Mode: oneMode, Batch: 1},
				NewPhase([]learn.Prediction{known(1, serve, 20)}), train)
			if !ok || o.Tau != n || o.IdleShare != 0 {
				t.Errorf("of %d minibatches in %g ms %d fit, idle %g of the time", n, 100-serve, o.Tau, o.IdleShare)
			}
		}
	}
	infer := NewPhase([]learn.Prediction{known(1, 100, 20)})
	o, ok := a.Evaluate(tegra.Setting{Mode: oneMode, Batch: 1}, infer, Phase{})
	if !ok || !o.Meets || o.Rho != 1 || o.LatencyMS != 100 {
		t.Errorf("batches of 100 ms, ten a second: %+v", o)
	}
}

// A small chance of one more minibatch does not outweigh minibatches that surely fit.
func TestAskPrefersTrainingThatIsSureToAChance(t *testing.T) {
	t.Parallel()
	a := Ask{Load: load(arrivals.Uniform, 10), IdleW: 8, Policy: Strict, expects: true}
	infer := NewPhase([]learn.Prediction{read(at(1, 1), 10, 20), read(at(2, 1), 10, 15)})
	train := NewPhase([]learn.Prediction{read(at(1, 0), 20, 20), doubted(at(2, 0), 95, 15, 0.1, 0)})
	got, err := a.Choose([]tegra.Setting{at(2, 1), at(1, 1)}, infer, train)
	if err != nil || got[0].Setting != at(1, 1) || got[1].more <= 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }
