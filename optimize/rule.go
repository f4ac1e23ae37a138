package optimize

// The rule of a search. Every probe is chosen by one value in seconds:
//
//	worth   the expected relative gain of the answer, E[(best − goal)⁺ ; limits kept], times the seconds that the job
//	        will run in it; without an answer, the chance to be one in place of the gain
//	cost    the seconds of the reading
//	heat    the price of drawing more than MaxOvershoot times the limit: for its chance, and for every tenth more
//
// The search measures the setting of the largest worth − cost − heat, whether it was measured before or not. A setting
// that is worth it but for its heat lends its value to those whose reading would decide that. The search ends when no
// value is positive. The answer is the measured setting of the best expected goal among those whose true values keep
// each limit with a chance of 1 − risk (docs/decisions/036-one-rule-for-the-search.md).

import (
	"cmp"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/optimize/ladder"
	"jtune/tegra"
)

const (
	// MaxOvershoot is what a supply bears, in power limits.
	MaxOvershoot = 1.1
	// jobS is how long the job will run in the answer, in seconds: what a relative gain of the answer is worth. A
	// thorough search counts on thoroughS.
	jobS, thoroughS = 3600.0, 7200.0
	// hotS is what it is worth, in seconds, not to draw more than MaxOvershoot; every tenth of the limit beyond costs
	// as much again.
	hotS, tenth = 8000.0, 0.1
	// lateS is likewise what it is worth not to exceed by a tenth a time limit that users wait for.
	lateS = 1000.0
	// leastChance is the chance of keeping the limits below which a setting is given up.
	leastChance = 0.01
	// contrary is by how much, in logarithms, readings may contradict that a setting with no knob higher is not faster
	// and draws no more.
	contrary = 0.03

	// What a reading takes: seconds until a started job runs steadily, the least after that, and minibatches.
	steadyS, leastS, minibatches = 4.5, 3.0, 8.6
)

// Bounds of the effort of a step.
const (
	drawn     = 2048 // settings, drawn at random, whose worth is judged
	refined   = 64   // of these, the most promising, whose neighbours are judged too, twice
	shortlist = 100  // settings whose value is worked out exactly
	tellers   = 300  // settings, drawn at random, that may decide about a hot one
	wishes    = 8    // hot ones at a time
	again     = 6    // readings of one setting
	tooFew    = 5    // settings from whose readings it is believed that none keeps several limits
)

// rule judges settings for a limit.
type rule struct {
	*search
	*belief
	asks    func(tegra.Measured) Terms
	asked   []*terms // by setting; nil: not worked out yet
	risked  float64  // deviations below a limit that the risk asks for
	jobS    float64
	best    float64 // ln of the goal to beat
	found   bool    // there is an answer, whose goal best is
	answer  int     // -1: none
	further []further
	vague   float64 // of ln power, beside the model's
}

// by returns a rule without a goal to beat.
func (s *search) by(asks func(tegra.Measured) Terms) *rule {
	b := s.believe()
	return &rule{search: s, belief: b, asks: asks, asked: make([]*terms, s.places.Len()), jobS: jobS,
		risked: b.tails.quantile(1 - s.o.risk())}
}

func (s *search) rule() *rule {
	r := s.by(s.o.Problem(s.limit, s.expected))
	if s.o.Depth == Thorough {
		r.jobS = thoroughS
	}
	r.further = s.further()
	r.answer = r.bestAnswer()
	if r.found = r.answer >= 0; r.found {
		r.best = r.goal(r.answer)
		return r
	}
	r.best = math.Inf(-1)
	return r
}

// goal returns the expected ln of the goal.
func (r *rule) goal(i int) float64 { return r.terms(i).at(r.lnT[i], r.lnP[i]) }

// bestAnswer returns the measured setting of the best expected goal that keeps the limits with enough chance; -1 for
// none. PowerTrain's answer is as published.
func (r *rule) bestAnswer() int {
	if r.o.Strategy == PowerTrain {
		return r.published()
	}
	best := newArgmax()
	for _, i := range r.order {
		if r.failed[i] || len(r.readings[i]) == 0 || r.chance(i) < 1-r.o.risk() {
			continue
		}
		value := -r.goal(i)
		if r.left() <= 0 && len(r.readings[i]) == 1 { // one reading may be luck, and there is no second
			value--
		}
		best.offer(i, value, 0)
	}
	return best.index
}

// outlook is what a reading of a setting changes: by which share of its deviation the expectation moves, and what
// deviation is left.
type outlook struct{ moves, left float64 }

// after returns the outlook of a value of this deviation after readings of an error. An unmeasured setting that proves
// good is read twice.
func (r *rule) after(i int, sd, reading float64) outlook {
	n := 1.0
	if len(r.readings[i]) == 0 {
		n = 2
	}
	return outlook{sd / math.Hypot(sd, reading), sd * reading / math.Sqrt(n*square(sd)+square(reading))}
}

// any reports whether any answer will do: the first within a power limit should be safe, if a better one can follow.
func (r *rule) any() bool { return !r.found && r.limit.Limits.Harm() && r.left() > 2 }

// gain returns the expected relative gain of the answer by a reading of a setting.
func (r *rule) gain(i int) float64 {
	bounds, t := r.within(i), r.terms(i)
	time, power := r.after(i, r.sT[i], r.errorT), r.after(i, r.sdPower(i), r.errorP)
	limitT, limitP := t.lnTime-r.risked*time.left, t.lnPower-r.risked*power.left
	if bounds.leastP > limitP || bounds.clocks > limitT {
		return 0
	}
	if r.any() {
		return r.chanceOf(i, limitT, limitP) * r.keeps(i, true)
	}
	sum := 0.0
	for _, c := range r.time {
		dev := time.moves * c.SD[i]
		if t.ByPower == 0 && t.at(c.Mean[i]-slabsFar*dev, 0) > r.best {
			continue
		}
		part := 0.0
		for _, x := range r.tails.slabs {
			lnT := max(c.Mean[i]-x.u*dev, bounds.clocks)
			most := r.best - t.at(lnT, 0)
			if lnT > limitT || t.ByPower == 0 && most <= 0 {
				continue
			}
			part += x.w * r.gainAt(i, t.ByPower, most, limitP, rise(r.work[i], r.lnT[i]-lnT), power.moves)
		}
		sum += c.Weight * part
	}
	return sum * r.keeps(i, true)
}

// doubt returns the expected relative gain of another reading of the answer: that of the next best measured setting,
// should the answer prove worse.
func (r *rule) doubt() float64 {
	next := math.Inf(1)
	for _, i := range r.order {
		if i != r.answer && len(r.readings[i]) > 0 && !r.failed[i] && r.chance(i) >= 1-r.o.risk() {
			next = min(next, r.goal(i))
		}
	}
	time, power := r.after(r.answer, r.sT[r.answer], r.errorT), r.after(r.answer, r.sP[r.answer], r.errorP)
	t := r.terms(r.answer)
	sd := math.Hypot(t.ByTime*time.moves*r.sT[r.answer], t.ByPower*power.moves*r.sP[r.answer])
	return stats.Improvement(r.best-next, sd)
}

// gainAt returns the expected gain at one time: most less the power's part of the goal, ln power by times, where power
// keeps its limit. more is by how much ln power is above the expected at that time.
func (r *rule) gainAt(i int, by, most, limit, more, moves float64) (sum float64) {
	for _, p := range r.power {
		mean, sd := p.Mean[i]+more, moves*p.SD[i]
		switch {
		case by > 0:
			sum += p.Weight * by * r.tails.below(most/by, min(most/by, limit), mean, sd)
		case math.IsInf(limit, 1):
			sum += p.Weight * most
		default:
			sum += p.Weight * most * r.tails.cdf((limit-mean)/sd)
		}
	}
	return sum
}

// roughly returns gain from the matched normal distribution, without bounds by other readings.
func (r *rule) roughly(i int) float64 {
	sP, in, t := r.sdPower(i), 1.0, r.terms(i)
	if !r.any() {
		sd := t.ByTime*r.sT[i] + t.ByPower*sP
		by := r.best - r.goal(i)
		if by < -4*sd {
			return 0
		}
		in = stats.Improvement(by, sd)
	}
	z := (t.lnPower - r.lnP[i]) / sP
	if z < -4 {
		return 0
	}
	in = in * stats.NormalCDF(z) * stats.NormalCDF((t.lnTime-r.lnT[i])/r.sT[i])
	for _, o := range r.further {
		in *= stats.NormalCDF((o.terms(i).lnPower - o.lnP[i]) / o.sdPower(i))
	}
	return in
}

// bound is what other settings' readings say of a setting: ln time at least, by those with as many cores (more may
// crowd a cache) and by all, and ln power at least and at most.
type bound struct{ clocks, time, leastP, power float64 }

// within returns what the settings with no knob lower, and those with none higher, say of setting i. One whose reading
// was ended for its power says only how much others draw at least.
func (r *rule) within(i int) bound {
	out := bound{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(1)}
	a := r.places.At(i)
	for _, j := range r.order {
		if b := r.places.At(j); len(r.readings[j]) > 0 && i != j && below(&a, &b) {
			out.time, out.power = max(out.time, r.lnT[j]-contrary), min(out.power, r.lnP[j]+contrary)
			if a.Mode.Cores == b.Mode.Cores {
				out.clocks = max(out.clocks, r.lnT[j]-contrary)
			}
		}
		if b := r.places.At(j); len(r.readings[j]) > 0 && i != j && below(&b, &a) {
			out.leastP = max(out.leastP, r.lnP[j]-contrary)
		}
	}
	for _, m := range r.tooMuch {
		if j := r.at(m.Setting); i != j && below(&m.Setting, &a) {
			out.leastP = max(out.leastP, r.lnP[j]-contrary)
		}
	}
	return out
}

// below reports whether no knob of a is higher than b's, at one batch size.
func below(a, b *tegra.Setting) bool {
	return a.Batch == b.Batch && a.Mode.Cores <= b.Mode.Cores && a.Mode.CPU <= b.Mode.CPU &&
		a.Mode.GPU <= b.Mode.GPU && a.Mode.EMC <= b.Mode.EMC
}

// open reports whether setting i may be measured.
func (r *rule) open(i int) bool { return !r.failed[i] && i != r.answer && len(r.readings[i]) < again }

// worth is a setting and its worth in seconds.
type worth struct {
	i          int
	value, own float64 // own: cost and heat; of a rough worth heat, its value being less the cost
}

// some returns settings that may be measured, drawn at random of too many.
func (r *rule) some(may func(i int) bool) (list []int) {
	for i := range r.worked {
		if r.open(i) && may(i) {
			list = append(list, i)
		}
	}
	if len(list) > drawn {
		list = stats.Draw(r.rng, list, drawn)
	}
	r.know(list)
	return list
}

// choose returns the setting to measure among those that may be; false if none is worth its cost and heat. Without an
// answer any setting with a chance to be one is.
func (r *rule) choose(may func(i int) bool) (int, bool) {
	list := r.some(may)
	if !r.found { // any answer is better than the worst setting
		for _, i := range list {
			r.best = max(r.best, r.goal(i)+1)
		}
	}
	rough := r.promising(list, nil)
	for range 2 {
		var near []int
		for _, w := range rough[:min(len(rough), refined)] {
			near = append(near, r.around(w.i)...)
		}
		near = slices.DeleteFunc(near, func(i int) bool { return r.worked[i] || !r.open(i) || !may(i) })
		slices.Sort(near)
		near = slices.Compact(near)
		list = append(list, near...)
		rough = r.promising(near, rough)
	}
	open := slices.DeleteFunc(slices.Clone(list), r.measured)
	top := 0.0
	for _, w := range rough {
		top = max(top, w.value)
	}
	rough = slices.DeleteFunc(rough, func(w worth) bool { return w.value < top/100 })
	most := newArgmax()
	if most.value = 0; !r.found {
		most.value = math.Inf(-1)
	}
	for n, c := range rough {
		if n >= shortlist && (c.value-c.own <= most.value/2 || n >= 3*shortlist) {
			break
		}
		if w, ok := r.exactly(c.i, max(most.value, 0)); ok && w.value-w.own > most.value {
			most = argmax{index: w.i, value: w.value - w.own}
		}
	}
	hot := r.wished(rough, max(most.value, 0))
	if r.found && len(r.readings[r.answer]) < again && may(r.answer) {
		if value := r.jobS*r.doubt() - r.cost(r.answer); value > most.value {
			most = argmax{index: r.answer, value: value}
		}
	}
	if len(hot) > 0 && len(open) > 0 {
		r.lend(hot, open, &most)
	}
	return most.index, most.index >= 0
}

// promising adds those of a list whose rough worth is above their cost, without an answer all, to others. Those of
// the largest worth come first, less its heat.
func (r *rule) promising(list []int, out []worth) []worth {
	r.know(list)
	for _, i := range list {
		if w := r.jobS*r.roughly(i) - r.cost(i); w > 0 || !r.found {
			out = append(out, worth{i: i, value: w, own: r.roughHeat(i)})
		}
	}
	slices.SortFunc(out, func(a, b worth) int { return cmp.Or(cmp.Compare(b.value-b.own, a.value-a.own), a.i-b.i) })
	return out
}

// exactly returns the worth of a setting, with its cost and heat; false if it is not worth more than that even without
// heat.
func (r *rule) exactly(i int, than float64) (worth, bool) {
	w := worth{i, r.jobS * r.gain(i), r.cost(i)}
	if w.value-w.own <= than || !r.found && r.chance(i) < leastChance {
		return w, false
	}
	w.own += r.heat(i)
	return w, true
}

// wished returns the settings that are worth most, and more than that, but for their heat.
func (r *rule) wished(rough []worth, than float64) (hot []worth) {
	if !r.limit.Limits.Harm() && !r.limit.GuardTime {
		return nil
	}
	rough = slices.DeleteFunc(slices.Clone(rough), func(w worth) bool { return w.own <= r.cost(w.i)/2 })
	byValue := func(a, b worth) int { return cmp.Compare(b.value, a.value) }
	slices.SortStableFunc(rough, byValue)
	for _, c := range rough[:min(len(rough), 4*wishes)] {
		if w, ok := r.exactly(c.i, than); ok && w.own > 1.5*r.cost(c.i) {
			hot = append(hot, w)
		}
	}
	slices.SortStableFunc(hot, byValue)
	return hot[:min(len(hot), wishes)]
}

// around returns the settings that differ in one knob, by one step, or in the batch size.
func (r *rule) around(i int) (out []int) {
	at, list := r.places.At(i), ladder.New(r.places.Space)
	for k, n := range list.Rungs(at.Mode) {
		for _, to := range []int{n - 1, n + 1} {
			if values := at.Mode.Values(); to >= 0 && to < len(list[k]) {
				values[k] = int64(list[k][to])
				if j := r.at(tegra.Setting{Mode: tegra.ModeOfValues(values), Batch: at.Batch}); j >= 0 {
					out = append(out, j)
				}
			}
		}
	}
	for _, size := range r.places.Batches {
		if j := r.at(tegra.Setting{Mode: at.Mode, Batch: size}); j >= 0 && j != i {
			out = append(out, j)
		}
	}
	return out
}

// lend offers settings for their information about hot ones: the share of the uncertainty of a hot one's power that
// their reading would take away of what the hot one is worth, less their own cost and heat.
func (r *rule) lend(hot []worth, open []int, most *argmax) {
	at := make([]int, len(hot))
	for k, w := range hot {
		at[k] = w.i
	}
	var list []int
	var own []float64
	for _, i := range stats.Draw(r.rng, open, len(open)) {
		if len(list) == tellers {
			break
		}
		if price := r.cost(i) + r.heat(i); price+most.value < hot[0].value {
			list, own = append(list, i), append(own, price)
		}
	}
	if len(list) == 0 {
		return
	}
	power, time := r.search.model.CovPower(list, at), r.search.model.CovTime(list, at)
	for k, d := range hot {
		unknown, ofTime := square(r.sdPower(d.i)), r.work[d.i]
		if !r.limit.Limits.Harm() { // what is hot is the time alone
			unknown, ofTime = square(r.sT[d.i]), 1
		}
		for j, i := range list {
			told := square(ofTime*time.At(j, k)) / (square(r.sT[i]) + square(r.errorT))
			if r.limit.Limits.Harm() {
				told += square(power.At(j, k)) / (square(r.sP[i]) + square(r.errorP))
			}
			if value := min(told/unknown, 1)*(d.value-r.cost(d.i)) - own[j]; i != d.i && value > most.value {
				*most = argmax{index: i, value: value}
				r.toward = tegra.Some(r.places.At(d.i))
			}
		}
	}
}

// follow measures one setting after another by the rule, among those that may be. An answer is read at least twice.
func (s *search) follow(may func(i int) bool) {
	for s.mayGoOn() {
		if s.model == nil {
			if s.fitErr = s.fit(); s.fitErr != nil {
				s.ended = Failing
				return
			}
		}
		r := s.rule()
		once := r.found && len(s.readings[r.answer]) == 1
		i, ok := r.answer, once && s.left() == 1
		if !ok {
			i, ok = r.choose(may)
		}
		if !ok && !r.found {
			i, ok = s.lastResort(r, may)
		}
		if !ok && once {
			i, ok = r.answer, true
		}
		if !ok {
			s.ended = Converged
			if !r.found && r.none() {
				s.ended = NoWay
			}
			return
		}
		why := Improve
		switch {
		case len(s.readings[i]) > 0:
			why = Verify
		case len(s.order) == 0:
			why = Start
		}
		if !s.probe(i, why) {
			return
		}
	}
}

// lastResort returns a setting to measure where none has a chance to keep the limits, unless that is shown: of one
// limit the setting that shows it; of several, the one that comes nearest, while few are known to tell.
func (s *search) lastResort(r *rule, may func(i int) bool) (i int, ok bool) {
	switch {
	case r.limits() == 1 || s.tried() == 0:
		i = r.lowest()
	case s.tried() >= tooFew:
		return -1, false
	default:
		i = r.likeliest(may)
	}
	return i, i >= 0 && may(i) && !r.none()
}

// anywhere permits every setting.
func anywhere(int) bool { return true }

// measured permits settings that have been.
func (s *search) measured(i int) bool { return len(s.readings[i]) > 0 }
