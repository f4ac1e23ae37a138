package sources

import (
	"math"
	"time"
)

// stillness detects a thermal sensor that repeats exactly the same value after the temperature was rising.
type stillness struct {
	past   []moment // of the last pastSpan
	since  time.Duration
	rising float64 // °C a minute, before the value froze
}

type moment struct {
	t time.Duration
	c float64
}

const (
	frozenAfter = time.Minute
	frozenRise  = 1.5 // °C a minute: no module stops that suddenly
	pastSpan    = 30 * time.Second
	fewSteps    = 3 // of a coarse sensor (0.5 °C): fewer may be a slow rise, or noise
)

// step returns the smallest change in the past: a multiple of what the sensor resolves.
func (s *stillness) step() float64 {
	least := math.Inf(1)
	for i := 1; i < len(s.past); i++ {
		least = min(least, math.Abs(s.past[i].c-s.past[i-1].c))
	}
	return least
}

// frozen takes a value and reports whether the sensor has been frozen for a minute.
func (s *stillness) frozen(t time.Duration, c float64) bool {
	n := len(s.past)
	if n > 0 && c == s.past[n-1].c {
		return s.rising >= frozenRise && t-s.since >= frozenAfter
	}
	s.past = append(s.past, moment{t, c})
	for s.past[0].t < t-pastSpan {
		s.past = s.past[1:]
	}
	s.since, s.rising = t, 0
	if first := s.past[0]; t-first.t >= pastSpan/3 && c-first.c >= fewSteps*s.step() {
		s.rising = (c - first.c) / (t - first.t).Minutes()
	}
	return false
}

// repeats detects a meter that repeats one value far longer than its own past explains: power under load scatters.
type repeats struct {
	n, changes int // readings before the present value, and how many of them differed from the one before
	run        int // readings of the present value
	since      time.Duration
	last       float64
}

const (
	fewReadings = 30
	mostChange  = 0.9  // of readings that differ: the next may repeat by chance
	byChance    = 1e-9 // below this probability a repetition is no chance
)

// frozen takes a value and reports whether the meter has been frozen for a minute.
func (s *repeats) frozen(t time.Duration, v float64) bool {
	if s.run > 0 && v == s.last {
		s.run++
		p := min(float64(s.changes)/float64(max(1, s.n)), mostChange)
		return s.n >= fewReadings && t-s.since >= frozenAfter && math.Pow(1-p, float64(s.run)) < byChance
	}
	if s.run > 0 {
		s.changes++
	}
	s.n, s.run, s.since, s.last = s.n+s.run, 1, t, v
	return false
}
