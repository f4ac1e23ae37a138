package profiles

import (
	"context"
	"fmt"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

const (
	// baseSettle is how long power takes to settle after a job ends or the mode changes (published: 2 to 3 s).
	baseSettle = 3 * time.Second
	// idleGPUPct is the highest GPU load in % of an idle device.
	idleGPUPct = 5
)

// Base is the power of the idle device, or why it is unknown.
type Base struct {
	PowerW tegra.Val[float64]
	Why    string // "" also when it was not requested
}

// BaseLoad measures the mean power of the idle device over a span of its time, with logging on: the base load of the
// 2022 study (docs/method.md). It is absent when the device reports no power or another program uses its GPU. With
// settle, it first waits for power to fall.
func BaseLoad(ctx context.Context, s *telemetry.Sampler, c tegra.Clock, span time.Duration, settle bool) (Base, error) {
	if settle {
		if err := c.Sleep(ctx, baseSettle); err != nil {
			return Base{}, err
		}
	}
	var t tally
	t.energy.Begin(c.Now())
	enough := s.Measure(min(time.Second, span/3), func(s telemetry.Sample) {
		t.power(s)
		t.loads(s.Reading)
	})
	err := c.Sleep(ctx, span)
	enough()
	busy := t.gpu.mean(1).Or(0)
	switch {
	case err != nil:
		return Base{}, err
	case t.energy.Span() == 0:
		return Base{Why: "no valid power reading"}, nil
	case busy > idleGPUPct:
		return Base{Why: fmt.Sprintf("the GPU was %.0f %% busy before the job began", busy)}, nil
	}
	return Base{PowerW: tegra.Some(t.energy.MeanW())}, nil
}
