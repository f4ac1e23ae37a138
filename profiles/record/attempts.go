package record

import "jtune/tegra"

// attempts holds the measurements of one mode, in order. Its zero value has none.
type attempts struct {
	list           []attempt
	lines, samples session
	open           bool // the newest goes on
}

// attempt is one measurement.
type attempt struct {
	session          int     // the jtune that measured it
	from, to         float64 // seconds
	timesMS, powersW []float64
	also             tegra.Sums
}

// session counts how often the times of a mode's lines fall: the clock of another jtune begins at 0.
type session struct {
	n    int
	last float64
}

func (s *session) next(t float64) (fell bool) {
	if fell = t < s.last-1; fell { // times of a job's output are not exact
		s.n++
	}
	s.last = t
	return fell
}

// Line takes the time of a line of minibatches.csv, which may begin another attempt.
func (a *attempts) Line(t float64, begins bool) {
	if a.lines.next(t) || begins {
		a.open = false
	}
}

// Minibatch takes the clean minibatch of the newest line.
func (a *attempts) Minibatch(end, ms float64) {
	if !a.open {
		a.list, a.open = append(a.list, attempt{session: a.lines.n, from: end - ms/1000}), true
	}
	last := &a.list[len(a.list)-1]
	last.to, last.timesMS = end, append(last.timesMS, ms)
}

// Keep keeps the last n attempts.
func (a *attempts) Keep(n int) { a.list = a.list[max(0, len(a.list)-n):] }

// Sample takes a line of samples.csv, with its power and further quantities if these count. It belongs to the attempts
// of its session during which it was taken.
func (a *attempts) Sample(t float64, watts tegra.Val[float64], also ...tegra.Value) {
	fell := a.samples.next(t)
	for i := range a.list {
		one := &a.list[i]
		if one.session < min(a.samples.n, a.lines.n) {
			continue
		}
		if fell && a.samples.n <= a.lines.n {
			one.powersW, one.also = nil, tegra.Sums{} // of the session before
		}
		if watts.OK && t >= one.from && t <= one.to {
			one.powersW = append(one.powersW, watts.V)
			one.also.Add(also)
		}
	}
}

// Values returns the times of the minibatches and the power during them, in milliseconds and watts.
func (a *attempts) Values() (timesMS, powersW []float64) {
	for _, one := range a.list {
		timesMS, powersW = append(timesMS, one.timesMS...), append(powersW, one.powersW...)
	}
	return timesMS, powersW
}

// Further returns the means of the further quantities.
func (a *attempts) Further() []tegra.Value {
	var all tegra.Sums
	for _, one := range a.list {
		all.Add(one.also.Means())
	}
	return all.Means()
}
