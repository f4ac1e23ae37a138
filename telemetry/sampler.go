package telemetry

import (
	"slices"
	"sync"
	"time"

	"jtune/tegra"
)

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

// Sampler reads a device for all who want its samples, so that a board is read
// once however many look at it: as often as the one who wants most samples
// asks, counted from when that one began. The others are given every sample or
// some of these, at their own intervals. Nobody subscribed: nothing is read.
type Sampler struct {
	device tegra.Device
	clock  tegra.Clock

	changing sync.Mutex  // one change of the subscriptions at a time
	leader   *subscriber // who sets the pace; nil: nobody subscribes
	halt     func()      // ends the clock's calls

	mu   sync.Mutex // held while a sample is taken and handed out
	subs []*subscriber
	pace time.Duration // the leader's interval
	last time.Duration // of the last sample, or when this pace began
}

// subscriber wants samples.
type subscriber struct {
	every  time.Duration
	take   func(Sample)
	served time.Duration // when it was given one last, or subscribed
}

// NewSampler makes a sampler of d on c's time.
func NewSampler(d tegra.Device, c tegra.Clock) *Sampler {
	return &Sampler{device: d, clock: c}
}

// Subscribe calls f with a sample at each `every` of the clock's time from now
// on, until cancel is called; cancel waits for a call in progress. The usual
// intervals are 1 s, and 100 ms for inference (method note c.3). f runs on the
// clock's goroutine: it must be quick, and neither subscribe nor cancel.
func (s *Sampler) Subscribe(every time.Duration, f func(Sample)) (cancel func()) {
	s.changing.Lock()
	defer s.changing.Unlock()
	sub := &subscriber{every: every, take: f, served: s.clock.Now()}
	s.mu.Lock()
	s.subs = append(s.subs, sub)
	s.mu.Unlock()
	s.follow()
	return sync.OnceFunc(func() {
		s.changing.Lock()
		defer s.changing.Unlock()
		s.mu.Lock()
		s.subs = slices.DeleteFunc(s.subs, func(other *subscriber) bool { return other == sub })
		s.mu.Unlock()
		s.follow()
	})
}

// follow lets the subscriber with the shortest interval set the pace, of equal
// ones the newest: a measurement's samples are counted from its own beginning,
// whoever looks on. It needs s.changing.
func (s *Sampler) follow() {
	var first *subscriber
	for _, sub := range s.subs {
		if first == nil || sub.every <= first.every {
			first = sub
		}
	}
	if first == s.leader {
		return
	}
	if s.leader != nil {
		s.halt()
	}
	if s.leader = first; first != nil {
		s.mu.Lock()
		s.pace, s.last = first.every, s.clock.Now()
		s.mu.Unlock()
		s.halt = s.clock.Every(first.every, s.sample)
	}
}

func (s *Sampler) sample(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.device.Read()
	sample := Sample{T: now, Reading: r}
	if err != nil {
		sample.Why = "device does not answer: " + err.Error()
	} else if sample.Why = CheckPower(r); sample.Why == "" {
		sample.Why = checkGap(now-s.last, s.pace)
	}
	sample.Valid = sample.Why == ""
	s.last = now
	for _, sub := range s.subs {
		if sub.every <= s.pace || now-sub.served >= sub.every-s.pace/2 {
			sub.served = now
			sub.take(sample)
		}
	}
}
