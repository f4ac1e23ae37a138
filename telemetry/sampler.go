package telemetry

import (
	"slices"
	"sync"
	"time"

	"jtune/tegra"
)

// Sample is one reading of the device, marked valid when its power can be trusted.
type Sample struct {
	T       time.Duration // the device's clock
	Reading tegra.Reading
	Valid   bool
	Why     string // why the sample is not valid; "" when it is
	// MeterW is the concurrent reading of a power meter in the supply; absent without one.
	MeterW tegra.Val[float64]
	Faults []Fault // of the sources, where they are followed
}

// PowerW returns the module's power when the sample is valid.
func (s *Sample) PowerW() tegra.Val[float64] {
	if !s.Valid {
		return tegra.Val[float64]{}
	}
	return s.Reading.TotalW
}

// Sampler shares one polling loop of a device among its subscribers. It polls at the shortest requested interval; the
// other subscribers get the samples that are due at their own intervals. Without subscribers it reads nothing.
type Sampler struct {
	// Meter reads a power meter in the supply; nil: none. It must be set before the first subscription.
	Meter func() tegra.Val[float64]

	device tegra.Device
	clock  tegra.Clock

	changing sync.Mutex  // serialises changes of the subscriptions
	leader   *subscriber // has the shortest interval; nil: no subscribers
	halt     func()      // stops the polling loop

	mu   sync.Mutex // held while a sample is taken and distributed
	subs []*subscriber
	pace time.Duration // the leader's interval
	last time.Duration // time of the last sample, or when this pace began
}

// subscriber is one call of Subscribe.
type subscriber struct {
	every  time.Duration
	take   func(Sample)
	served time.Duration // when it got its last sample, or subscribed
}

// NewSampler returns a sampler of d on the clock c.
func NewSampler(d tegra.Device, c tegra.Clock) *Sampler {
	return &Sampler{device: d, clock: c}
}

// Subscribe calls f with a sample once per interval of the clock's time, until cancel is called. cancel waits for a
// call in progress. The usual interval is 1 s (docs/method.md, "Energy and power"). f runs on the clock's goroutine: it
// must return quickly, and must neither subscribe nor cancel.
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

// follow restarts the polling loop when another subscriber has the shortest interval. Among equal intervals the newest
// subscriber leads, so that a measurement's samples begin with the measurement. It needs s.changing.
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

// Read takes one sample now, outside the polling loop: a screen's first sample or a command's only one. It returns the
// device's error.
func (s *Sampler) Read() (Sample, error) { return s.read(s.clock.Now()) }

func (s *Sampler) read(now time.Duration) (Sample, error) {
	r, err := s.device.Read()
	sample := Sample{T: now, Reading: r}
	if s.Meter != nil {
		sample.MeterW = s.Meter()
	}
	if err != nil {
		sample.Why = "device does not answer: " + err.Error()
	} else {
		sample.Why = CheckPower(r)
	}
	sample.Valid = sample.Why == ""
	return sample, err
}

func (s *Sampler) sample(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sample, _ := s.read(now) // its error is in Why
	if sample.Valid {
		sample.Why = checkGap(now-s.last, s.pace)
		sample.Valid = sample.Why == ""
	}
	s.last = now
	for _, sub := range s.subs {
		if sub.every <= s.pace || now-sub.served >= sub.every-s.pace/2 {
			sub.served = now
			sub.take(sample)
		}
	}
}
