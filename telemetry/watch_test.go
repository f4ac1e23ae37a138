package telemetry_test

import (
	"context"
	"math"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/telemetry"
)

func TestWatchFoldsReadingsForWhoLooksNowAndThen(t *testing.T) {
	t.Parallel()
	board := must.Get(virtual.New(virtual.Options{Name: "agx-orin", Speed: math.Inf(1)}))(t)
	device := must.Get(board.Open())(t)
	defer device.Close()
	clock, asked := board.Clock(), 0
	w := telemetry.NewWatch(telemetry.WatchOptions{Sampler: telemetry.NewSampler(device, clock), Files: board.FS(),
		Written:      func() int64 { return 0 },
		GPUProcesses: func() ([]tegra.GPUProcess, string) { asked++; return nil, "no permission" }})
	defer w.Stop()
	const seconds = 2 * telemetry.MaxReadings
	must.NoError(t, clock.Sleep(t.Context(), seconds*time.Second))
	r, ok := w.Next(t.Context(), 0)
	if !ok || len(r.Samples) != telemetry.MaxReadings || r.Samples[telemetry.MaxReadings-1].T != r.Last.T {
		t.Fatalf("%d samples, %v; want the newest %d", len(r.Samples), ok, telemetry.MaxReadings)
	}
	if p := r.Last.PowerW(); !p.OK || r.EnergyJ < 0.5*seconds*p.V || r.EnergyJ > 2*seconds*p.V {
		t.Errorf("%.0f J after %d s at %v W", r.EnergyJ, seconds, p)
	}
	if !r.GPU.Asked || r.GPU.Why != "no permission" {
		t.Errorf("GPU %+v", r.GPU)
	}
	must.NoError(t, clock.Sleep(t.Context(), 3*time.Second))
	if again, ok := w.Next(t.Context(), 0); !ok || len(again.Samples) > 4 || again.EnergyJ <= r.EnergyJ || asked != 1 {
		t.Errorf("%d samples more, %.0f J, the driver asked %d times", len(again.Samples), again.EnergyJ, asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := w.Next(ctx, 0); ok {
		t.Error("something new after the context has ended")
	}
}
