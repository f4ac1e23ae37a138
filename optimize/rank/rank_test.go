package rank

import (
	"math"
	"os"
	"slices"
	"testing"

	"jtune/internal/must"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/optimize/outlook"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual"
	"jtune/tegra/virtual/physics"
)

// near reports whether a value is within 1 % of one that was worked out by hand.
func near(got tegra.Val[float64], want float64) bool {
	return got.OK && math.Abs(got.V/want-1) < 0.01
}

// measuredBoard is a board with measured modes: time in ms and power in W of each.
func measuredBoard(name string, points ...[2]float64) RankBoard {
	var rows []tegra.Measured
	for i, p := range points {
		at := tegra.Setting{Mode: tegra.Mode{Cores: 1 + i, CPU: 1e9, GPU: 1e9, EMC: 1e9}}
		rows = append(rows, tegra.Measured{Setting: at, TimeMS: p[0], PowerW: p[1]})
	}
	return RankBoard{Name: name, Outlook: outlook.Measured(rows, learn.Provenance{Device: name, Virtual: name == "b"})}
}

// TestRankOfHandComputedBoards has 500 minibatches in 5 epochs. Board a: 100 ms at 30 W or 200 ms at 12 W; b: 400 ms at
// 10 W or 800 ms at 6 W; c: a machine with a known epoch of 30 s.
func TestRankOfHandComputedBoards(t *testing.T) {
	t.Parallel()
	request := func(change func(*RankRequest)) Ranking {
		r := RankRequest{Minibatches: 100, Epochs: 5, By: ByTime, Boards: []RankBoard{
			measuredBoard("b", [2]float64{400, 10}, [2]float64{800, 6}),
			measuredBoard("a", [2]float64{100, 30}, [2]float64{200, 12}), {Name: "c", EpochS: 30}}}
		change(&r)
		return Rank(r)
	}
	type row struct {
		name                        string
		epochS, timeS, w, wh, edpKJ float64
	}
	for name, c := range map[string]struct {
		change func(*RankRequest)
		want   []row
		dnr    []string
		round  float64
	}{
		"each at its fastest": {func(*RankRequest) {},
			[]row{{"a", 10, 50, 30, 0.4167, 75}, {name: "c", epochS: 30, timeS: 150}, {"b", 40, 200, 10, 0.5556, 400}},
			nil, 200},
		"by energy": {func(r *RankRequest) { r.By, r.Boards = ByEnergy, r.Boards[:2] },
			[]row{{"a", 10, 50, 30, 0.4167, 75}, {"b", 40, 200, 10, 0.5556, 400}}, nil, 200},
		"a deadline: the least energy in time": {func(r *RankRequest) { r.RoundS = 210 },
			[]row{{"a", 20, 100, 12, 0.3333, 120}, {name: "c", epochS: 30, timeS: 150},
				{"b", 40, 200, 10, 0.5556, 400}},
			nil, 200},
		"a power limit": {func(r *RankRequest) { r.Boards[0].PowerW = 8; r.Boards = r.Boards[:2] },
			[]row{{"a", 10, 50, 30, 0.4167, 75}, {"b", 80, 400, 6, 0.6667, 960}}, nil, 400},
		"a power limit that misses the deadline": {func(r *RankRequest) { r.Boards[0].PowerW, r.RoundS = 8, 210 },
			[]row{{"a", 20, 100, 12, 0.3333, 120}, {name: "c", epochS: 30, timeS: 150}}, []string{"b"}, 150},
		"nobody": {func(r *RankRequest) { r.RoundS = 1 }, nil, []string{"c", "b", "a"}, 0},
	} {
		got := request(c.change)
		if len(got.Boards) != len(c.want)+len(c.dnr) {
			t.Fatalf("%s: %+v", name, got.Boards)
		}
		for i, w := range c.want {
			x := got.Boards[i]
			if x.Name != w.name || x.Why != "" || !near(x.EpochS, w.epochS) || !near(x.TimeS, w.timeS) {
				t.Errorf("%s: place %d is %+v, want %+v", name, i+1, x, w)
			}
			x.EDP.V /= 1000
			if w.w > 0 && (!near(x.PowerW, w.w) || !near(x.EnergyWh, w.wh) || !near(x.EDP, w.edpKJ)) {
				t.Errorf("%s: %+v, want %+v", name, x, w)
			}
			if w.w == 0 && (x.PowerW.OK || x.EnergyWh.OK || x.EDP.OK) {
				t.Errorf("%s: power of a machine without a model: %+v", name, x)
			}
		}
		for i, name := range c.dnr {
			if x := got.Boards[len(c.want)+i]; x.Name != name || x.Why == "" {
				t.Errorf("want DNR of %s with a reason, got %+v", name, x)
			}
		}
		if c.round > 0 && !near(got.RoundS, c.round) || got.RoundS.OK != (c.round > 0) {
			t.Errorf("%s: a round of %v s, want %g", name, got.RoundS, c.round)
		}
		if withC := len(c.want) > 0 && len(got.Boards) == 3; withC && got.EnergyWh.OK {
			t.Errorf("%s: energy of all, and one's is not known", name)
		}
	}
}

// TestRankCurveFallsWithTheDeadline: a later deadline takes no more energy, from the fastest that all
// keep to the one from which nothing is saved.
func TestRankCurveFallsWithTheDeadline(t *testing.T) {
	t.Parallel()
	got := Rank(RankRequest{Minibatches: 100, Epochs: 5, By: ByTime, Boards: []RankBoard{
		measuredBoard("a", [2]float64{100, 30}, [2]float64{200, 12}, [2]float64{300, 7}, [2]float64{600, 3}),
		measuredBoard("b", [2]float64{150, 20}, [2]float64{400, 6})}})
	if n := len(got.Curve); n < 10 || !got.Virtual {
		t.Fatalf("%d points, virtual %v", n, got.Virtual)
	}
	for i, p := range got.Curve[1:] {
		if p.EnergyWh > got.Curve[i].EnergyWh*1.0001 || p.DeadlineS <= got.Curve[i].DeadlineS {
			t.Errorf("after %+v comes %+v", got.Curve[i], p)
		}
	}
	// All at their least: 600·3 and 400·6 mJ a minibatch, 500 of each.
	if last := got.Curve[len(got.Curve)-1]; !near(tegra.Some(last.EnergyWh), (0.6*3+0.4*6)*500/3600) {
		t.Errorf("the last point is %+v", last)
	}
	if first, k := got.Curve[0].DeadlineS, got.Knee; !k.OK || k.V < first || k.V > 2*first {
		t.Errorf("knee %v, the curve begins at %g", k, first)
	}
}

// TestRestBreaksEvenAsTheFormulaSays: an hour's period, 200 s of work, 7.5 W idle, 0.4 W asleep, 1 kJ
// and 40 s to wake up. Idle 7.5·3400 J = 7.083 Wh, asleep 0.4·3360 + 1000 J = 0.6511 Wh, even at
// 40 + (1000 − 7.5·40)/7.1 = 138.6 s.
func TestRestBreaksEvenAsTheFormulaSays(t *testing.T) {
	t.Parallel()
	r := Rest{PeriodS: 3600, IdleW: 7.5, SleepW: 0.4, WakeJ: 1000, WakeS: 40}
	must.NoError(t, r.Check())
	got := r.after(200)
	if !near(tegra.Some(got.IdleWh), 7.083) || !near(got.SleepWh, 0.6511) || !near(got.BreakEvenS, 138.59) ||
		!got.Sleep {
		t.Errorf("got %+v", got)
	}
	if even := r.after(r.PeriodS - got.BreakEvenS.V); math.Abs(even.IdleWh-even.SleepWh.V) > 1e-9 {
		t.Errorf("at the break-even time idle takes %g Wh and sleeping %g", even.IdleWh, even.SleepWh.V)
	}
	for pause, want := range map[float64]bool{130: false, 150: true} {
		if x := r.after(r.PeriodS - pause); x.Sleep != want {
			t.Errorf("a pause of %g s: %+v", pause, x)
		}
	}
	if x := r.after(3590); x.SleepWh.OK || x.Sleep { // too short to wake up in
		t.Errorf("%+v", x)
	}
	if x := r.after(4000); !x.Late || x.Sleep {
		t.Errorf("%+v", x)
	}
	if r.SleepW = 8; r.after(200).BreakEvenS.OK || r.after(200).Sleep {
		t.Error("sleeping takes more and pays")
	}
	for _, bad := range []Rest{{}, {PeriodS: 1, IdleW: math.NaN()}, {PeriodS: math.Inf(1), IdleW: 1},
		{PeriodS: 1, IdleW: 1, SleepW: -1}} {
		if err := bad.Check(); !usage.Is(err) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// A later deadline or more power never costs a measured board more energy or time, and no reading known as well beats
// its mode in both, on the measured sweeps, those of inference in batches of 16, and on every virtual board.
func TestRankNeverWorsensWithTheLimit(t *testing.T) {
	t.Parallel()
	sweeps := []string{sweeptest.LSTM, sweeptest.OrinNano}
	if os.Getenv("JTUNE_LONG") != "" {
		sweeps = append(sweeps, sweeptest.ResNet, sweeptest.MobileNet)
	}
	for _, name := range sweeps {
		t.Run(name, func(t *testing.T) { checkRank(t, sweeptest.Load(t, name)) })
	}
	for _, name := range []string{"infer/mobnet_infer", "infer/resnet_infer"} {
		t.Run(name, func(t *testing.T) {
			other := func(m tegra.Measured) bool { return m.Batch != 16 }
			checkRank(t, slices.DeleteFunc(sweeptest.Settings(t, name), other))
		})
	}
	w, _ := physics.Find("mobilenet")
	for _, name := range virtual.Names() {
		b := must.Get(virtual.New(virtual.Options{Name: name, Speed: math.Inf(1)}))(t)
		d := must.Get(b.Open())(t)
		var rows []tegra.Measured
		for i, m := range d.Space().Modes() {
			if i%(1+d.Space().Len()/200) == 0 {
				s := w.Steady(physics.On(name), physics.At(m))
				rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: s.TimeMS,
					PowerW: s.Power.Total()})
			}
		}
		t.Run(name, func(t *testing.T) { checkRank(t, rows) })
	}
}

// checkRank ranks a board by its readings, each taken twice, within ever wider limits.
func checkRank(t *testing.T, rows []tegra.Measured) {
	board := RankBoard{Name: "board", Outlook: outlook.Measured(slices.Concat(rows, rows), learn.Provenance{})}
	request := RankRequest{Minibatches: 100, Epochs: 1, By: ByTime}
	ms, watts := rows[0].TimeMS, rows[0].PowerW
	for _, m := range rows {
		ms, watts = min(ms, m.TimeMS), min(watts, m.PowerW)
	}
	before, chosen := [2]float64{math.Inf(1), math.Inf(1)}, 0
	for k := range 20 {
		byDeadline, byPower := request, request
		byDeadline.Boards, byPower.Boards = []RankBoard{board}, []RankBoard{board}
		byDeadline.RoundS = 0.1 * ms * math.Pow(1.3, float64(k))
		byPower.Boards[0].PowerW = 0.9 * watts * math.Pow(1.15, float64(k))
		deadline, power := Rank(byDeadline), Rank(byPower)
		for i, got := range []tegra.Val[float64]{deadline.EnergyWh, power.RoundS} {
			switch {
			case !got.OK:
			case got.V > before[i]*(1+1e-9):
				t.Errorf("limit %d of kind %d: %.5g, within a smaller one %.5g", k, i, got.V, before[i])
			default:
				before[i] = got.V
				chosen++
			}
		}
		for i, r := range []Ranking{deadline, power} {
			at := r.Boards[0]
			other := func(m tegra.Measured) float64 { return []float64{m.EnergyJ(), m.PowerW}[i] }
			own := tegra.Measured{TimeMS: at.TimeMS.V, PowerW: at.PowerW.V}
			for _, m := range rows {
				if at.TimeMS.OK && m.TimeMS < own.TimeMS*(1-1e-9) && other(m) < other(own)*(1-1e-9) {
					t.Errorf("limit %d: %v in %.4g ms and %.4g W is beaten by %v", k, at.Mode.V, own.TimeMS, own.PowerW,
						m)
				}
			}
		}
	}
	if chosen < 10 {
		t.Errorf("%d limits had a choice", chosen)
	}
}
