package profiles

import (
	"math"
	"time"

	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
)

// Settle finds when the power of a job became steady, from the samples up to each of its minibatches. Samples that come
// faster than usual are averaged, because single ones scatter more.
type Settle struct {
	// Each gets the samples in order; settled: power was steady before it. nil: nobody does.
	Each func(s telemetry.Sample, settled bool)

	every   time.Duration // of the values that Steady gets; 0: each sample is one
	whole   bool          // all samples count: whole epochs, or whole runs, are the reading
	epochs  bool          // power need not become steady
	queue   sampleQueue
	from    time.Duration // samples before it are left out
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
	s.from = t
	s.steady.Begin(t)
	s.told = t - s.every // the first sample is reported at once
}

// Until handles the samples up to now.
func (s *Settle) Until(now time.Duration) telemetry.Verdict {
	for _, sample := range s.queue.popUntil(now) {
		if sample.T < s.from {
			continue
		}
		s.all++
		why := sample.Reading.Hot()
		if s.hotLast = why != ""; s.hotLast {
			s.hot, s.hotWhy = s.hot+1, why
		}
		settled := s.whole || s.steady.Verdict() != telemetry.Settling
		switch {
		case s.epochs:
		case s.steady.Verdict() == telemetry.Settling:
			s.tell(sample)
		case sample.Valid:
			s.good++
			s.told = sample.T
		}
		if !settled {
			s.dropped++
		}
		if s.Each != nil {
			s.Each(sample, settled)
		}
	}
	return s.steady.Verdict()
}

// slack is how much earlier than due a sample may come.
const slack = 20 * time.Millisecond

func (s *Settle) tell(sample telemetry.Sample) {
	p := sample.PowerW()
	if s.block.add(p); p.OK && sample.T-s.told < s.every-slack {
		return
	}
	if p.OK {
		p = s.block.mean(1)
	}
	s.steady.Add(sample.T, p.Or(math.NaN()))
	s.block, s.told = adder{}, sample.T
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
	if float64(s.hot) > record.ThrottledShare*float64(s.all) {
		return s.hotWhy
	}
	return s.hotNow()
}

// hotNow returns why the board was too hot in the newest sample; "" when it was not.
func (s *Settle) hotNow() string {
	if s.hotLast {
		return s.hotWhy
	}
	return ""
}
