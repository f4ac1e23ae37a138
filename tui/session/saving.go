package session

import (
	"math"

	"jtune/learn"
	"jtune/optimize"
	"jtune/profiles/record"
	"jtune/tegra"
)

// Saving is what one mode saves against another, in the quantity where that is most telling:
// energy, else power, else time.
type Saving struct {
	What        string  // "energy", "power" or "time"
	Pct, Lo, Hi float64 // of the other mode; negative is less. Lo and Hi are the 95 % band; Pct where both are measured
	Against     string  // the other mode's name
	Measured    bool    // both are measured
}

// Saves says what the chosen mode saves against this one. Without a saving in anything it is
// the energy, which is not negative then.
func (c Comparison) Saves() Saving {
	energy := Saving{"energy", c.EnergyPct, c.Lo.EnergyPct, c.Hi.EnergyPct, c.Name, c.Measured}
	for _, s := range []Saving{energy,
		{"power", c.PowerPct, c.Lo.PowerPct, c.Hi.PowerPct, c.Name, c.Measured},
		{"time", c.TimePct, c.Lo.TimePct, c.Hi.TimePct, c.Name, c.Measured}} {
		if math.Round(s.Pct) < 0 {
			return s
		}
	}
	return energy
}

// BestSoFar is the best mode that a search has measured until now.
type BestSoFar struct {
	tegra.Mean                // N is 0 while none keeps the limit
	Limit      optimize.Limit // that it is the best for
	MaxN       *Comparison    // nil where MAXN is it, or nothing is known of MAXN
}

// bestSoFar compares the best mode with MAXN; model may be nil.
func (s *Session) bestSoFar(best tegra.Mean, l optimize.Limit, p learn.Predictor,
	measured []tegra.Measured) *BestSoFar {
	out := &BestSoFar{Mean: best, Limit: l}
	if top := s.Device.Space().Max(); best.N > 0 && best.Mode != top {
		out.MaxN = Compare(optimize.MeasuredPrediction(best.Measured), p, measured, s.Device.Space(),
			s.Device.Presets(), tegra.Setup{}).MaxN
	}
	return out
}

// atSize lets a surrogate predict modes with a batch size.
type atSize struct {
	*learn.Surrogate
	batch int
}

// Predict is learn.Predictor's.
func (a atSize) Predict(modes []tegra.Mode) []learn.Prediction {
	list := make([]tegra.Setting, len(modes))
	for i, m := range modes {
		list[i] = tegra.Setting{Mode: m, Batch: a.batch}
	}
	return a.PredictSettings(list)
}

// seen reports a probe of a search and the best mode after it.
func (s *Session) seen(observe func(Event)) func(optimize.Seen) {
	return func(k optimize.Seen) {
		var p learn.Predictor
		var measured []tegra.Measured
		if k.Model != nil {
			p, measured = atSize{k.Model, k.Best.Batch}, k.Model.Samples()
		}
		observer(observe).send(ProbeEvent{Probe: k.Probe, Best: s.bestSoFar(k.Best, k.Probe.Limit, p, measured)})
	}
}

// tracked adds to the finished rows of a campaign the best mode so far for a limit, of these
// rows alone.
func (s *Session) tracked(l optimize.Limit, observe func(Event)) func(Event) {
	var done []tegra.Measured
	return func(e Event) {
		if row := FinishedRow(e); row != nil && row.Status.Usable() {
			done = append(done, row.Measured)
			p := e.(ProgressEvent)
			p.Best = s.bestSoFar(bestMean(done, l), l, nil, tegra.OncePerSetting(done))
			e = p
		}
		observer(observe).send(e)
	}
}

// bestMean is the best of the settings whose mean keeps a limit; N is 0 where none does.
func bestMean(list []tegra.Measured, l optimize.Limit) (best tegra.Mean) {
	for _, m := range meansOf(list) {
		if l.Met(m.Measured) && (best.N == 0 || l.Better(m.Measured, best.Measured)) {
			best = m
		}
	}
	return best
}

// Answered is the answer to one of the limits of a search.
type Answered struct {
	optimize.Result
	Limit   optimize.Limit
	Versus  Versus
	Serving *record.Serving // what inference did in the answer, by its newest reading; nil for training
	Sent    *Sent           // what it did with requests at the rate, or those of users; nil where that was not tried
}

// Answers are those to all limits of a request, the first one first.
func (r *TuneResult) Answers(q TuneRequest) []Answered {
	out := []Answered{{Result: r.Result, Limit: q.Limit, Versus: r.Versus, Serving: r.serving(r.Setting)}}
	if n := len(r.Sent); n > 0 {
		out[0].Sent = &r.Sent[n-1]
	}
	for i, more := range r.Result.More {
		one := Answered{Result: more, Limit: q.More[i], Serving: r.serving(more.Setting)}
		if i < len(r.MoreVersus) { // else it ended without a model
			one.Versus = r.MoreVersus[i]
		}
		out = append(out, one)
	}
	return out
}

// Standing is where the answer stands against a limit. That a mean is within a latency does not say that a quantile is.
func (a Answered) Standing(l optimize.Limit) optimize.Standing {
	out := a.Result.Standing(l)
	if a.Sent != nil && a.Sent.Users && a.Sent.Unsure != "" && l.TimeMS > 0 && out.State == optimize.Measured {
		out.State = optimize.Doubtful
	}
	return out
}

// serving is what inference did in a setting, by its newest reading; nil where there is none.
func (r *TuneResult) serving(at tegra.Setting) (found *record.Serving) {
	for _, row := range r.rows {
		if row.Setting == at && row.Status.Usable() {
			found = row.Serving
		}
	}
	return found
}

// Saves is the saving against the mode that the board was in, or against MAXN where that is
// not known; absent where neither is, or the board was in the answer itself.
func (a Answered) Saves() (Comparison, bool) {
	for _, c := range []*Comparison{a.Versus.Present, a.Versus.MaxN} {
		if c != nil {
			out := *c
			for _, same := range a.Versus.Distinct() {
				if same.Other.Mode == c.Other.Mode {
					out.Name = same.Name
				}
			}
			return out, c.Other.Mode != a.Mode
		}
	}
	return Comparison{}, false
}
