package optimize

import (
	"cmp"
	"fmt"
	"math"

	"jtune/learn"
	"jtune/tegra"
)

// fit refits the model to all readings.
func (s *search) fit() error {
	samples, earlier := s.samples()
	o := learn.SurrogateOptions{
		Grid:      true,
		Unlike:    true,
		Robust:    1,
		Reference: s.residual,
		Batches:   s.places.Batches,
		Known:     earlier,
		Over:      s.tooMuch,
		Earlier:   s.model,
	}
	model, err := learn.FitSurrogate(s.o.Space, samples, o)
	if err != nil {
		return fmt.Errorf("fit to %d measured modes: %w", len(s.order), err)
	}
	s.model, s.belief = model, nil
	return nil
}

// finish returns the answer to limit i, which is sought, or the error of a search without one.
func (s *search) finish(i int) (Answer, error) {
	s.warnOfPick()
	r := s.answer(i)
	s.warnOfPoor(r)
	switch {
	case s.ended == Cancelled:
		return r, s.ctx.Err()
	case s.fitErr != nil:
		return r, s.fitErr
	case s.ended == Failing:
		return r, fmt.Errorf("stopped, %d modes in a row could not be measured: %w", s.inARow, s.lastErr)
	case len(s.order) == 0:
		return r, fmt.Errorf("no mode could be measured: %w", cmp.Or(s.lastErr, errNoProbe))
	case !r.Feasible:
		return r, &InfeasibleError{
			Limit:    s.limit,
			Nearest:  r.Measured,
			Measured: true,
			Shown:    s.ended == NoWay,
			Tried:    Distinct(s.probes),
			Of:       tegra.NameOfSettings(s.places.Batches),
			Chance:   r.Chance,
		}
	}
	return r, nil
}

// answer returns the answer so far to limit n, which is sought.
func (s *search) answer(n int) Answer {
	var r Answer
	s.compared.baselines(&r, n)
	if s.tried() == 0 {
		return r
	}
	i, ok := s.best()
	if !ok {
		i = s.nearest()
	}
	found := s.told(i)
	r.Measured, r.N, r.Feasible, r.Verified = found.Measured, found.N, ok, found.N > 1
	r.Predicted = s.predictedFirst(r.Setting)
	if s.model == nil {
		return r
	}
	rule := s.rule()
	r.True, r.Chance = rule.trueValue(i), rule.doubtful().chance(i)
	better := newArgmax()
	for _, j := range s.order {
		if ok && len(s.readings[j]) > 0 && !s.failed[j] && rule.goal(j) < rule.goal(i) && rule.chance(j) >= unsure {
			better.offer(j, -rule.goal(j), 0)
		}
	}
	if j := better.index; j >= 0 {
		r.Alternative = tegra.Some(Believed{rule.trueValue(j).Measured, rule.chance(j)})
	}
	return r
}

// unsure is the chance of keeping the limits from which a setting is worth naming as an alternative.
const unsure = 0.5

// trueValue returns the posterior of a setting's true values.
func (r *rule) trueValue(i int) learn.Prediction {
	p := learn.Prediction{Measured: tegra.Measured{Setting: r.places.At(i), TimeMS: math.Exp(r.lnT[i]),
		PowerW: math.Exp(r.lnP[i])}, LnTimeSD: r.sT[i], LnPowerSD: r.sdPower(i)}
	wide := r.tails.quantile(0.975)
	p.TimeLoMS, p.TimeHiMS = p.TimeMS*math.Exp(-wide*r.sT[i]), p.TimeMS*math.Exp(wide*r.sT[i])
	p.PowerLoW, p.PowerHiW = p.PowerW*math.Exp(-wide*p.LnPowerSD), p.PowerW*math.Exp(wide*p.LnPowerSD)
	return with(p, r.further, i)
}

// Distinct counts the settings of probes.
func Distinct(probes []Probe) int {
	seen := map[tegra.Setting]bool{}
	for _, p := range probes {
		seen[p.Setting] = true
	}
	return len(seen)
}

// tried returns the number of settings that this search has read.
func (s *search) tried() int { return len(s.readings) }

// nearest returns the measured mode that exceeds the limits least.
func (s *search) nearest() int {
	found, least := -1, math.Inf(1)
	for _, i := range s.order {
		if over := s.excess(s.mean(i)); len(s.readings[i]) > 0 && over < least {
			found, least = i, over
		}
	}
	return found
}

// worst returns the reading of a mode that exceeds the limits most.
func (s *search) worst(i int) tegra.Measured {
	worst, most := tegra.Measured{}, -1.0
	for _, m := range s.readings[i] {
		if over := s.excess(m); over > most {
			worst, most = m, over
		}
	}
	return worst
}

// predictedFirst returns the prediction for a mode before it was measured.
func (s *search) predictedFirst(at tegra.Setting) learn.Prediction {
	for _, p := range s.probes {
		if p.Setting == at && p.Predicted.TimeMS > 0 {
			return p.Predicted
		}
	}
	switch {
	case s.networks != nil:
		return networksSay(s.networks, at)
	case s.model == nil:
		return learn.Prediction{}
	}
	return predicted(s, s.at(at))
}

// predicted returns the model's prediction for a setting, with the further quantities that are limited.
func predicted(s *search, i int) learn.Prediction {
	return with(s.model.PredictSettings([]tegra.Setting{s.places.At(i)})[0], s.further(), i)
}

// prepareReference computes the residual of the reference workload, or drops an unusable one with a warning.
func (s *search) prepareReference() {
	if s.o.Reference == nil {
		return
	}
	var err error
	if s.residual, err = s.o.Reference.Residual(s.o.Space); err != nil {
		s.warn("reference %s is not used: %v", s.o.Reference.Name, err)
	}
}
