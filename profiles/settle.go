package profiles

import (
	"math"
	"time"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

// Settle finds when the power of a run became steady, from the samples up to each of its minibatches. Samples that come
// faster than usual are averaged, because single ones scatter more.
type Settle struct {
	every   time.Duration // of the values that Steady gets
	queue   sampleQueue
	steady  telemetry.Steady
	block   adder // power since the newest value that Steady got
	told    time.Duration
	good    int // samples since power settled, or waiting was given up
	all     int
	dropped int // before power settled
	hot     int
	hotWhy  string // of the newest hot sample
	hotLast bool   // that is the newest sample of all
}

// NewSettle returns a Settle of a workload that has seen nothing.
func NewSettle(w workload.Workload) *Settle {
	usual := SettingsFor(w, record.Settings{})
	return &Settle{every: usual.SampleEvery, steady: steadyBy(usual, tegra.Val[float64]{})}
}

// Sample takes a reading of the device; it may come from any goroutine.
func (s *Settle) Sample(sample telemetry.Sample) { s.queue.push(sample) }

// Begin starts to watch when the job began to train; samples from before are left out.
func (s *Settle) Begin(t time.Duration) {
	s.queue.popUntil(t)
	s.steady.Begin(t)
	s.told = t - s.every // the first sample is reported at once
}

// Until handles the samples up to now.
func (s *Settle) Until(now time.Duration) telemetry.Verdict {
	for _, sample := range s.queue.popUntil(now) {
		s.all++
		why := sample.Reading.Hot()
		if s.hotLast = why != ""; s.hotLast {
			s.hot, s.hotWhy = s.hot+1, why
		}
		switch {
		case s.steady.Verdict() == telemetry.Settling:
			s.dropped++
			s.tell(sample)
		case sample.Valid:
			s.good++
			s.told = sample.T
		}
	}
	return s.steady.Verdict()
}

// slack is how much earlier than due a sample may come.
const slack = 20 * time.Millisecond

func (s *Settle) tell(sample telemetry.Sample) {
	if p := sample.PowerW(); p.OK {
		s.block.add(p)
	} else {
		s.block, s.told = adder{}, sample.T
		s.steady.Add(sample.T, math.NaN())
	}
	if sample.T-s.told >= s.every-slack {
		s.steady.Add(sample.T, s.block.mean(1).Or(math.NaN()))
		s.block, s.told = adder{}, sample.T
	}
}

// Verdict is the last verdict.
func (s *Settle) Verdict() telemetry.Verdict { return s.steady.Verdict() }

// Dropped is how many samples came before power settled.
func (s *Settle) Dropped() int { return s.dropped }

// At is when power settled, or waiting was given up.
func (s *Settle) At() time.Duration { return s.steady.At() }

// enoughSamples is how many samples make a mean of steady power meaningful; they must span as many of the usual
// intervals.
const enoughSamples = 3

// Enough reports whether steady power was watched for long enough.
func (s *Settle) Enough() bool {
	return s.good >= enoughSamples && s.told-s.At() >= enoughSamples*s.every-slack
}

// Hot returns why the board was too hot for the run; "" when it was not.
func (s *Settle) Hot() string {
	if s.hotLast || float64(s.hot) > record.ThrottledShare*float64(s.all) {
		return s.hotWhy
	}
	return ""
}
