package telemetry

import (
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

// Sampler reads a device at a fixed interval of the device's clock.
type Sampler struct{}

// NewSampler makes a sampler that reads d each `every` of c's time.
func NewSampler(d tegra.Device, c tegra.Clock, every time.Duration) *Sampler { panic("not yet") }

// Start begins to sample. Starting twice does nothing.
func (s *Sampler) Start() { panic("not yet") }

// Stop ends sampling and waits for a sample in progress. It must not be
// called from a subscriber.
func (s *Sampler) Stop() { panic("not yet") }

// Subscribe calls f with each sample until cancel is called. f runs on the
// clock's goroutine: it must be quick and must not stop the sampler.
func (s *Sampler) Subscribe(f func(Sample)) (cancel func()) { panic("not yet") }

// Last gives the latest sample; false before the first.
func (s *Sampler) Last() (Sample, bool) { panic("not yet") }

// History lists the samples kept, oldest first.
func (s *Sampler) History() []Sample { panic("not yet") }
