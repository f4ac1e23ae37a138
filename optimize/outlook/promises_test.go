package outlook

import (
	"math"
	"math/rand/v2"
	"testing"

	"jtune/learn"
	"jtune/optimize/optimizetest"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// guessed predicts a toy board with errors that differ between modes and that its bands cover.
type guessed struct {
	board *optimizetest.Board
	rng   *rand.Rand
}

func (g guessed) Predict(modes []tegra.Mode) []learn.Prediction {
	out := make([]learn.Prediction, len(modes))
	for i, m := range modes {
		p := learn.Prediction{Measured: g.board.Answer(m), LnTimeSD: 0.03 + 0.1*g.rng.Float64(),
			LnPowerSD: 0.02 + 0.05*g.rng.Float64()}
		p.TimeMS *= math.Exp(p.LnTimeSD * g.rng.NormFloat64())
		p.PowerW *= math.Exp(p.LnPowerSD * g.rng.NormFloat64())
		out[i] = p
	}
	return out
}

// someReadings measures up to 20 modes, some of them twice, each with an error of 1 %.
func someReadings(b *optimizetest.Board, rng *rand.Rand) []tegra.Measured {
	var rows []tegra.Measured
	for _, m := range b.Space.Sample(1+rng.IntN(20), rng.Uint64()) {
		for range 1 + rng.IntN(2) {
			r := b.Answer(m)
			r.TimeMS *= 1 + 0.01*rng.NormFloat64()
			r.PowerW *= 1 + 0.01*rng.NormFloat64()
			rows = append(rows, r)
		}
	}
	return rows
}

// manyOutlooks are outlooks with random predictions and readings, with a limit each.
func manyOutlooks(t *testing.T, each func(o *Outlook, rows []tegra.Measured, l metric.Goal)) {
	t.Helper()
	board := optimizetest.New(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 35))
		rows := someReadings(board, rng)
		o := By(guessed{board, rng}, "w", &learn.Model{Space: board.Space, Samples: rows}, rows, board.Space)
		for _, l := range []metric.Goal{metric.Watts(14 + 20*rng.Float64()), metric.Millis(60 + 200*rng.Float64()),
			{Limits: metric.Power.Max(14 + 20*rng.Float64()).And(metric.Time.Max(60 + 200*rng.Float64()))}, {}} {
			each(o, rows, l)
		}
	}
}

// Nothing is called measured that was not: a mode is, with as many readings as there were and their mean, or it is
// predicted, with the model's values.
func TestOutlookCallsMeasuredWhatWasReadAndNothingElse(t *testing.T) {
	t.Parallel()
	manyOutlooks(t, func(o *Outlook, rows []tegra.Measured, l metric.Goal) {
		sum, n := map[tegra.Mode]tegra.Measured{}, map[tegra.Mode]int{}
		for _, r := range rows {
			s := sum[r.Mode]
			s.TimeMS += r.TimeMS
			s.PowerW += r.PowerW
			sum[r.Mode] = s
			n[r.Mode]++
		}
		for i, s := range o.Standings(l) {
			known, p := o.Known[i], o.Predicted[i]
			read := n[p.Mode]
			if s.N != read || s.Predicted() != (read == 0) || o.At(i).Measured() != (read > 0) {
				t.Fatalf("%v was read %d times and stands as %v, %d readings", p.Mode, read, s, s.N)
			}
			want := p.Measured
			if read > 0 {
				want.TimeMS, want.PowerW = sum[p.Mode].TimeMS/float64(read), sum[p.Mode].PowerW/float64(read)
			}
			if math.Abs(known.TimeMS/want.TimeMS-1) > 1e-9 || math.Abs(known.PowerW/want.PowerW-1) > 1e-9 {
				t.Fatalf("%v, read %d times: %g ms, %g W, want %g and %g", p.Mode, read, known.TimeMS, known.PowerW,
					want.TimeMS, want.PowerW)
			}
		}
	})
}

// An answer is never worse than a mode that was measured within the limits, by more than what counts as the same.
func TestOutlookAnswersNoWorseThanWhatWasMeasuredWithin(t *testing.T) {
	t.Parallel()
	const same = 0.02 // of equals the best known one is taken, decision 020
	compared := 0
	manyOutlooks(t, func(o *Outlook, _ []tegra.Measured, l metric.Goal) {
		at, err := o.Choose(l)
		if err != nil {
			return
		}
		value := func(m tegra.Measured) float64 {
			if l.Of(metric.Time) > 0 { // then the goal is the least power
				return m.PowerW
			}
			return m.TimeMS
		}
		for i, s := range o.Standings(l) {
			if s.N == 0 || !s.Within() {
				continue
			}
			compared++
			if got, other := value(o.Known[at].Measured), value(o.Known[i].Measured); got > other*(1+same) {
				t.Fatalf("%v: the answer has %g, %v was measured within with %g", l, got, o.Known[i].Mode, other)
			}
		}
	})
	if compared < 100 {
		t.Errorf("%d modes were measured within their limit", compared)
	}
}

// The measured answer of a search for a limit stays the answer, whatever the predictions.
func TestOutlookKeepsWhatASearchFound(t *testing.T) {
	t.Parallel()
	manyOutlooks(t, func(o *Outlook, rows []tegra.Measured, l metric.Goal) {
		found, kept := rows[len(rows)/2].Setting, *o
		kept.Found = map[metric.Question]Answered{{Limit: l}: {Setting: found}}
		if at, err := kept.Choose(l); err != nil || kept.Predicted[at].Setting != found {
			t.Fatalf("%v: got %v (%v), want %v, which was found", l, kept.Predicted[at].Setting, err, found)
		}
		other := l
		other.Limits = other.Limits.And(metric.Power.Max(other.Of(metric.Power) + (1)))
		want, wantErr := o.Choose(other)
		if at, err := kept.Choose(other); at != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("%v: what was found for %v counts too: %d (%v), want %d (%v)", other, l, at, err, want, wantErr)
		}
	})
}
