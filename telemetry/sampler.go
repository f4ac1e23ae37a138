package telemetry

import (
	"slices"
	"sync"
	"time"

	"jtune/tegra"
)

// HistoryLen is how many samples a Sampler keeps: an hour at one a second.
const HistoryLen = 3600

// Sample is one reading of the device and whether its power can be trusted.
type Sample struct {
	T       time.Duration // the device's clock
	Reading tegra.Reading
	Valid   bool
	Why     string // reason why it is not valid; "" when it is
}

// PowerW is the module's power when the sample is valid.
func (s Sample) PowerW() tegra.Val[float64] {
	if !s.Valid {
		return tegra.Val[float64]{}
	}
	return s.Reading.TotalW
}

// Sampler reads a device at a fixed interval of the device's clock, keeps the
// latest samples and hands each to its subscribers.
type Sampler struct {
	device tegra.Device
	clock  tegra.Clock
	every  time.Duration

	running sync.Mutex // start and stop, one at a time
	stop    func()
	began   time.Duration

	mu    sync.Mutex
	ring  []Sample // of HistoryLen at most; oldest at next once full
	next  int
	subs  []subscriber
	count int // of subscriptions ever made
}

type subscriber struct {
	id   int
	take func(Sample)
}

// NewSampler makes a sampler that reads d each `every` of c's time. The usual
// intervals are 1 s, and 100 ms for inference (method note c.3).
func NewSampler(d tegra.Device, c tegra.Clock, every time.Duration) *Sampler {
	return &Sampler{device: d, clock: c, every: every}
}

// Every is the nominal interval.
func (s *Sampler) Every() time.Duration { return s.every }

// Start begins to sample. Starting twice does nothing.
func (s *Sampler) Start() {
	s.running.Lock()
	defer s.running.Unlock()
	if s.stop == nil {
		s.began = s.clock.Now()
		s.stop = s.clock.Every(s.every, s.sample)
	}
}

// Stop ends sampling and waits for a sample in progress. It must not be
// called from a subscriber. The history stays.
func (s *Sampler) Stop() {
	s.running.Lock()
	defer s.running.Unlock()
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

func (s *Sampler) sample(now time.Duration) {
	r, err := s.device.Read()
	sample := Sample{T: now, Reading: r}
	if err != nil {
		sample.Why = "device does not answer: " + err.Error()
	} else {
		sample.Why = s.check(now, r)
	}
	sample.Valid = sample.Why == ""
	for _, sub := range s.keep(sample) {
		sub.take(sample)
	}
}

func (s *Sampler) check(now time.Duration, r tegra.Reading) string {
	if why := CheckPower(r); why != "" {
		return why
	}
	before := s.began
	if last, ok := s.Last(); ok {
		before = max(before, last.T)
	}
	return checkGap(now-before, s.every)
}

// keep puts the sample into the ring and gives those who want to know.
func (s *Sampler) keep(sample Sample) []subscriber {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ring) < HistoryLen {
		s.ring = append(s.ring, sample)
	} else {
		s.ring[s.next] = sample
		s.next = (s.next + 1) % HistoryLen
	}
	return slices.Clone(s.subs)
}

// Subscribe calls f with each sample until cancel is called. f runs on the
// clock's goroutine: it must be quick and must not stop the sampler. One call
// may still be on its way when cancel returns.
func (s *Sampler) Subscribe(f func(Sample)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	id := s.count
	s.subs = append(s.subs, subscriber{id, f})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.subs = slices.DeleteFunc(s.subs, func(sub subscriber) bool { return sub.id == id })
	}
}

// Last gives the latest sample; false before the first.
func (s *Sampler) Last() (Sample, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ring) == 0 {
		return Sample{}, false
	}
	return s.ring[(s.next+len(s.ring)-1)%len(s.ring)], true
}

// History lists the samples kept, oldest first.
func (s *Sampler) History() []Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.ring[s.next:], s.ring[:s.next])
}
