package telemetry

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"jtune/tegra"
	"jtune/telemetry/sources"
)

// Sample is one reading of the device, marked valid when its power can be trusted.
type Sample struct {
	T       time.Duration // the device's clock
	Late    time.Duration // how long after its planned moment it was taken
	Reading tegra.Reading
	Valid   bool
	Why     string // why the sample is not valid; "" when it is
	// MeterW is the concurrent reading of a power meter in the supply; absent without one.
	MeterW tegra.Val[float64]
	Faults []sources.Fault // of the sources, where they are followed
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
//
// While something is measured, each interval is drawn at random, from half the requested one to one and a half: a job
// whose power repeats with the interval of the samples would otherwise be read in the same phase again and again.
type Sampler struct {
	// Meter reads a power meter in the supply; nil: none. It must be set before the first subscription.
	Meter func() tegra.Val[float64]
	// Seed of the random intervals; it must be set before the first subscription.
	Seed uint64

	device tegra.Device
	clock  tegra.Clock

	changing sync.Mutex  // serialises changes of the subscriptions
	leader   *subscriber // has the shortest interval; nil: no subscribers
	drawn    bool        // intervals are random
	halt     func()      // stops the polling loop
	loops    uint64      // polling loops so far

	mu   sync.Mutex // held while a sample is taken and distributed
	subs []*subscriber
	pace time.Duration // the leader's interval
	last time.Duration // time of the last sample, or when this pace began
	plan moments
}

// subscriber is one call of Subscribe or Measure.
type subscriber struct {
	every   time.Duration
	measure *rand.Rand // draws its intervals; nil: they are regular
	take    func(Sample)
	served  time.Duration // when it got its last sample, or subscribed
	wait    time.Duration // for its next one, since then
}

// moments are the planned times of the samples of a polling loop.
type moments struct {
	mu   sync.Mutex
	due  []time.Duration
	last time.Duration
}

func (m *moments) add(gap time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last += gap
	m.due = append(m.due, m.last)
}

// late returns how long ago the newest moment up to now was.
func (m *moments) late(now time.Duration) (by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.due) > 0 && m.due[0] <= now {
		by, m.due = now-m.due[0], m.due[1:]
	}
	return by
}

// NewSampler returns a sampler of d on the clock c.
func NewSampler(d tegra.Device, c tegra.Clock) *Sampler {
	return &Sampler{device: d, clock: c}
}

// Subscribe calls f with a sample once per interval of the clock's time, until cancel is called. cancel waits for a
// call in progress. f runs on the clock's goroutine: it must return quickly, and must neither subscribe nor cancel.
func (s *Sampler) Subscribe(every time.Duration, f func(Sample)) (cancel func()) {
	return s.subscribe(&subscriber{every: every, wait: every, take: f})
}

// leastMeasured is the shortest interval that Measure chooses by itself: a reading costs about a millisecond of a core.
const leastMeasured = 100 * time.Millisecond

// Measure is Subscribe at random moments, for what is measured. The usual mean interval is 1 s (docs/method.md, "Energy
// and power"); where the power sensor averages over a known shorter time of at least leastMeasured, it is that time, so
// that the samples leave nothing out.
func (s *Sampler) Measure(every time.Duration, f func(Sample)) (cancel func()) {
	if averages := s.device.Board().PowerWindow; averages >= leastMeasured {
		every = min(every, averages)
	}
	s.mu.Lock()
	s.loops++
	sub := &subscriber{every: every, take: f, measure: rand.New(rand.NewPCG(s.Seed, s.loops))}
	s.mu.Unlock()
	sub.wait = randomly(sub.measure, every)
	return s.subscribe(sub)
}

// randomly draws an interval uniformly from half of every to one and a half.
func randomly(rng *rand.Rand, every time.Duration) time.Duration {
	return every/2 + time.Duration(rng.Int64N(int64(every)+1))
}

func (s *Sampler) subscribe(sub *subscriber) (cancel func()) {
	s.changing.Lock()
	defer s.changing.Unlock()
	sub.served = s.clock.Now()
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

// follow restarts the polling loop when another subscriber has the shortest interval, or when the first subscriber
// measures or the last one no longer does. Among equal intervals the newest subscriber leads, so that a measurement's
// samples begin with the measurement. It needs s.changing.
func (s *Sampler) follow() {
	var first *subscriber
	drawn := false
	for _, sub := range s.subs {
		if first == nil || sub.every <= first.every {
			first = sub
		}
		drawn = drawn || sub.measure != nil
	}
	if first == s.leader && drawn == s.drawn {
		return
	}
	if s.leader != nil {
		s.halt()
	}
	s.drawn = drawn
	if s.leader = first; first == nil {
		return
	}
	now, next := s.clock.Now(), func() time.Duration { return first.every }
	s.mu.Lock()
	s.loops++
	s.pace, s.last, s.plan = first.every, now, moments{last: now}
	rng := rand.New(rand.NewPCG(s.Seed, s.loops))
	s.mu.Unlock()
	if drawn {
		next = func() time.Duration { return randomly(rng, first.every) }
	}
	s.halt = s.clock.EveryNext(func() time.Duration {
		gap := next()
		s.plan.add(gap)
		return gap
	}, s.sample)
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
	s.last, sample.Late = now, s.plan.late(now)
	for _, sub := range s.subs {
		if sub.every <= s.pace || now-sub.served >= sub.wait-s.pace/2 {
			if sub.served = now; sub.measure != nil {
				sub.wait = randomly(sub.measure, sub.every)
			}
			sub.take(sample)
		}
	}
}
