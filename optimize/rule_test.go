package optimize

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"jtune/internal/must"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// noisy returns a board whose readings err by a standard deviation in ln time and ln power.
func noisy(t *testing.T, seed uint64, sd float64) *optimizetest.Board {
	t.Helper()
	b, rng := optimizetest.New(t), rand.New(rand.NewPCG(seed, 1))
	b.Shake = func(_ int, m *tegra.Measured) {
		m.TimeMS *= math.Exp(sd * rng.NormFloat64())
		m.PowerW *= math.Exp(sd * rng.NormFloat64())
	}
	return b
}

// Answers keep their limits by their true values about as surely as the risk asks, are read twice, and the search tries
// hardly a mode far over the limit.
func TestAnswersKeepTheirLimitAsSurelyAsTheRiskAsks(t *testing.T) {
	t.Parallel()
	over, hot, n, seeds := 0, 0, 0, 4
	if os.Getenv("JTUNE_LONG") != "" {
		seeds = 8
	}
	for seed := range uint64(seeds) {
		for _, l := range []metric.Goal{metric.Watts(14), metric.Watts(22), metric.Watts(30), metric.Millis(90),
			{Limits: metric.Power.Max(18), Objective: metric.Energy}} {
			b := noisy(t, seed, 0.012)
			res, err := tuneOn(t, b, TuneOptions{Limits: goals(l), Seed: seed,
				Baselines: Baselines{Present: tegra.Some(tegra.Setting{Mode: b.Space.Max()})}})
			if errors.Is(err, ErrInfeasible) {
				continue
			}
			if err != nil || !res.Feasible || res.N < 2 || res.Chance < 1-metric.DefaultRisk {
				t.Fatalf("%v, seed %d: %v, read %d times, chance %.2f: %v", l, seed, res.Mode, res.N, res.Chance, err)
			}
			b.Shake = nil
			if n++; !l.Met(b.Answer(res.Mode)) {
				over++
			}
			for _, p := range res.Probes[1:] {
				if l.Of(metric.Power) > 0 && b.Answer(p.Mode).PowerW > MaxOvershoot*l.Of(metric.Power) {
					hot++
					break
				}
			}
		}
	}
	// 5 % of 20 are one, of 40 two; four and six happen one time in 63 and 70.
	if n < 35*seeds/8 || over > 1+seeds/2 || hot > 3*seeds/8 {
		t.Errorf("of %d answers %d are over their limit, and %d searches tried a mode far over it", n, over, hot)
	}
}

// A lucky reading is shrunk towards what the neighbours say, a second one like it moves the belief on and narrows it,
// and one that contradicts it widens it.
func TestBeliefFollowsReadingsByWhatTheyAreWorth(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(20))})
	for _, m := range b.Space.Sample(25, 3) {
		s.read(s.at(tegra.Setting{Mode: m}), b.Answer(m))
	}
	i := s.order[4]
	plain, lucky := s.readings[i][0], s.readings[i][0]
	lucky.PowerW *= 0.97
	believed := func(list ...tegra.Measured) (ln, sd float64) {
		s.readings[i] = list
		must.NoError(t, s.fit())
		return s.believe().lnP[i] - math.Log(plain.PowerW), s.believe().sP[i]
	}
	_, sd := believed(plain)
	one, sdOne := believed(lucky)
	two, sdTwo := believed(lucky, lucky)
	_, apart := believed(plain,
		tegra.Measured{Setting: plain.Setting, TimeMS: plain.TimeMS, PowerW: 1.3 * plain.PowerW})
	if !(one < -0.003 && one > math.Log(0.97)+0.003) || !(two < one) || !(sdTwo < sdOne) || !(apart > 1.3*sd) {
		t.Errorf(
			"once 3 %% lower: %+.4f ± %.4f; twice: %+.4f ± %.4f; two readings 30 %% apart: ± %.4f in place of %.4f",
			one, sdOne, two, sdTwo, apart, sd)
	}
}

// Readings of another day leave the board's level open by their offset; one new reading settles most of it.
func TestKnownReadingsShareAnOffset(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	for _, drift := range []float64{1, 1.05} {
		var known []tegra.Measured
		for _, m := range b.Space.Sample(20, 2) {
			r := b.Answer(m)
			r.TimeMS, r.PowerW = r.TimeMS/drift, r.PowerW/drift
			known = append(known, r)
		}
		s, _ := searchOn(t, TuneOptions{Limits: goals(metric.Watts(25)), Known: known})
		other := s.at(known[9].Setting)
		off := func() (float64, float64) {
			must.NoError(t, s.fit())
			return s.believe().lnP[other] - math.Log(b.Answer(known[9].Mode).PowerW), s.believe().sP[other]
		}
		_, before := off()
		s.read(s.at(known[3].Setting), b.Answer(known[3].Mode))
		s.read(s.at(known[5].Setting), b.Answer(known[5].Mode))
		if after, sd := off(); math.Abs(after) > 0.02 || sd > 0.8*before {
			t.Errorf("drift %g: after two new readings %+.3f ± %.3f, before ± %.3f", drift, after, sd, before)
		}
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(metric.Watts(25)), Known: known})
		if err != nil || !(metric.Watts(25)).Met(b.Answer(res.Mode)) {
			t.Errorf("drift %g: %v, %v", drift, res.Measured, err)
		}
	}
}

// What the likeliest formula says of speed and power agrees with the law that it stands for.
func TestRiseIsTheWorkAtAnotherSpeed(t *testing.T) {
	t.Parallel()
	for _, work := range []float64{0, 0.3, 1} {
		for _, x := range []float64{-0.7, 0, 0.2} {
			if got, want := rise(work, x), math.Log(1-work+work*math.Exp(x)); math.Abs(got-want) > 1e-12 {
				t.Errorf("work %g, faster by %g: %g, want %g", work, x, got, want)
			}
		}
	}
}

// The expectations of the tabulated distribution agree with its integral.
func TestTailsBelowIsTheIntegral(t *testing.T) {
	t.Parallel()
	d := newTails(5)
	for _, c := range [][4]float64{{0, 0, 0, 1}, {1, -0.5, 0.2, 0.3}, {0.3, 0.3, -1, 2}} {
		most, end, mean, sd := c[0], c[1], c[2], c[3]
		sum := 0.0
		for z, dz := -60.0, 0.002; z < (end-mean)/sd; z += dz {
			at := z + dz/2
			p := math.Gamma(3) / (math.Sqrt(5*math.Pi) * math.Gamma(2.5)) * math.Pow(1+at*at/5, -3)
			sum += dz * p * (most - mean - sd*at)
		}
		if got := d.below(most, end, mean, sd); math.Abs(got-max(0, sum)) > 0.01*sd {
			t.Errorf("%v: %g, want %g", c, got, sum)
		}
	}
	if z := d.quantile(0.95); math.Abs(d.cdf(z)-0.95) > 1e-3 {
		t.Errorf("the distribution at its 95 %% quantile: %g", d.cdf(z))
	}
}

// An impossible limit is reported after a few modes, and called so only where the readings show it.
func TestRuleSaysThatNoneKeepsALimitWhereReadingsShowIt(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	least, fastest := math.Inf(1), math.Inf(1)
	for _, m := range b.All() {
		least, fastest = min(least, m.PowerW), min(fastest, m.TimeMS)
	}
	for _, c := range []struct {
		l     metric.Goal
		shown bool
	}{{metric.Watts(0.88 * least), true}, {metric.Millis(0.88 * fastest), true},
		{metric.Within(metric.Power.Max(1.1 * least).And(metric.Time.Max(1.1 * fastest))), false}} {
		res, err := tuneOn(t, b, TuneOptions{Limits: goals(c.l)})
		var none *InfeasibleError
		if !errors.As(err, &none) || none.Shown != c.shown || len(res.Probes) > 8 || none.Tried == 0 {
			t.Errorf("%v: %v after %d probes", c.l, err, len(res.Probes))
		}
	}
}

// One new reading of a known mode tells most of the offset of all.
// With one or two probes the answer is near the best of those known: no better one can follow a sure, slow one.
func TestRuleSpendsItsLastProbesOnTheBestItKnows(t *testing.T) {
	b := optimizetest.New(t)
	limit := metric.Watts(25)
	known := knownOf(t, b, limit)
	best := must.Get(bestOf(known, limit))(t)
	for _, probes := range []int{1, 2} {
		got := must.Get(tuneOn(t, b, TuneOptions{Limits: goals(limit), Known: known, Probes: probes}))(t)
		if !got.Feasible || got.Answer.TimeMS > 1.25*best.TimeMS {
			t.Errorf("%d probes: %v, feasible %t; the best known takes %.4g ms", probes, got.Answer.Measured,
				got.Feasible, best.TimeMS)
		}
	}
}

func TestOffsetFollowsTheFirstNewReading(t *testing.T) {
	t.Parallel()
	b := optimizetest.New(t)
	s, _ := searchOn(t, TuneOptions{Limits: goals(metric.Watts(25)), Known: sampleOf(b, 10)})
	before := s.offset(readingSD, powerOf)
	m := b.Answer(s.places.At(s.order[3]).Mode)
	m.PowerW *= 1.02
	s.read(s.order[3], m)
	after, moved := s.offset(readingSD, powerOf), math.Log(1.02)
	if before.ln != 0 || !(after.ln > moved/2 && after.ln < moved) || !(after.variance < before.variance/2) {
		t.Errorf("2 %% more power: the offset %+v became %+v", before, after)
	}
}

// What readings say of modes with lower and higher knobs leaves room for a reading that contradicts them.
func TestWithinLeavesRoomForContraryReadings(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(20))})
	low, i, high := 0, s.places.Len()/2, s.places.Len()-1
	for _, j := range []int{low, high} {
		s.read(j, b.Answer(s.places.At(j).Mode))
	}
	must.NoError(t, s.fit())
	r := s.rule()
	got := r.within(i)
	for name, room := range map[string]float64{"time": r.lnT[high] - got.time, "power": got.power - r.lnP[high],
		"least power": r.lnP[low] - got.leastP} {
		if math.Abs(room-contrary) > 1e-9 {
			t.Errorf("the room of the %s is %g, want %g", name, room, contrary)
		}
	}
}

// A thorough search counts on a longer job, so that the same gain is worth more.
func TestRuleOfAThoroughSearchValuesAGainMore(t *testing.T) {
	t.Parallel()
	values := map[string]float64{}
	for _, depth := range []string{Quick, Thorough} {
		s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(25)), Depth: depth})
		for _, m := range sampleOf(b, 12) {
			s.read(s.at(m.Setting), m)
		}
		must.NoError(t, s.fit())
		r := s.rule()
		i, ok := r.choose(anywhere)
		if !ok {
			t.Fatalf("%s: nothing is worth a measurement", depth)
		}
		w, _ := r.exactly(i, 0)
		values[depth] = w.value / r.gain(i)
	}
	if values[Thorough] < 1.5*values[Quick] {
		t.Errorf("seconds that a gain is worth: %v", values)
	}
}

// A search whose share of the probes had ended, and that gets more, ends as those show.
func TestFollowSaysHowASearchEndsThatGotMoreProbes(t *testing.T) {
	t.Parallel()
	s, _ := searchOn(t, TuneOptions{Limits: goals(metric.Watts(25)), Probes: 3})
	for _, c := range []struct {
		probes int
		want   Ended
	}{{3, OutOfProbes}, {DefaultProbes, Converged}} {
		s.cap = c.probes
		if s.follow(anywhere); s.ended != c.want {
			t.Errorf("%d probes: %v, want %v", c.probes, s.ended, c.want)
		}
	}
}

// The rough worth, by which settings are sorted out, counts further limits: far over one there is none.
func TestRoughlyCountsFurtherLimits(t *testing.T) {
	t.Parallel()
	limits := metric.Power.Max(40).And(metric.Current.Max(1.5))
	s, b := searchOn(t, TuneOptions{Limits: goals(metric.Within(limits))})
	for _, m := range sampleOf(b, 20) {
		s.read(s.at(m.Setting), railed(m, b.Space))
	}
	must.NoError(t, s.fit())
	r, top := s.rule(), s.places.Len()-1
	r.know([]int{top})
	with := r.roughly(top)
	r.further = nil
	if without := r.roughly(top); !(with < without/100) {
		t.Errorf("the rough worth of the highest mode is %g, without the limit on currents %g", with, without)
	}
}

// A problem gets what the search expects of a setting: nothing before the first fit, then about what it reads.
func TestExpectedIsWhatTheSearchBelieves(t *testing.T) {
	t.Parallel()
	s, b := searchOn(t, TuneOptions{Limits: goals(metric.Watts(25))})
	at := tegra.Setting{Mode: b.Space.Max()}
	if got := s.expected(at); got.Setting != at || got.TimeMS != 0 || got.PowerW != 0 {
		t.Errorf("before the first fit: %+v", got)
	}
	want := b.Answer(at.Mode)
	s.read(s.at(at), want)
	must.NoError(t, s.fit())
	if got := s.expected(at); math.Abs(got.TimeMS/want.TimeMS-1) > 0.02 || math.Abs(got.PowerW/want.PowerW-1) > 0.02 {
		t.Errorf("after a reading of %+v: %+v", want, got)
	}
}

// A time limit that a problem sets counts like one of the goal, on a board of a single mode too.
func TestLimitsCountsTheTimeLimitOfAProblem(t *testing.T) {
	t.Parallel()
	row := fourModes()[0]
	space := must.Get(tegra.Spanned([]tegra.Mode{row.Mode}))(t)
	for ms, want := range map[float64]int{math.Inf(1): 1, 500: 2} {
		o := TuneOptions{Limits: goals(metric.Watts(20)), Space: space, Problem: func(metric.Goal,
			func(tegra.Setting) tegra.Measured) func(tegra.Measured) Terms {
			return func(tegra.Measured) Terms { return Terms{MostMS: ms, MostW: 20, ByTime: 1} }
		}}
		s := must.Get(newSearch(t.Context(), nil, o))(t)
		s.read(0, row)
		must.NoError(t, s.fit())
		if got := s.rule().limits(); got != want {
			t.Errorf("%g ms by the problem: %d limits, want %d", ms, got, want)
		}
	}
}
