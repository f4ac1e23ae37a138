package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/telemetry"
)

// defaultMinibatches is how many clean minibatches a run takes unless told
// otherwise: as many as profiling a mode does (method note d.3).
const defaultMinibatches = 40

// Run runs a workload in the mode the device is in and changes nothing. An
// interrupted run gives what it has.
func (s *Session) Run(ctx context.Context, r RunRequest, observe func(Event)) (RunResult, error) {
	if err := s.canRun(r.Workload); err != nil {
		return RunResult{}, err
	}
	want := r.Minibatches
	if want == 0 && r.Epochs > 0 {
		want = r.Epochs * r.Workload.MinibatchesPerEpoch()
	} else if want == 0 {
		want = defaultMinibatches
	}
	h, err := s.harness(r.Workload, profiles.Settings{}, "", r.Epochs)(ctx)
	if err != nil {
		return RunResult{}, err
	}
	meter := s.startMeter()
	t, err := collect(ctx, h, want, observer(observe), meter)
	power := meter.stop()
	if stopErr := h.Stop(context.WithoutCancel(ctx)); err == nil {
		err = stopErr
	}
	return t.result(power), err
}

// timings are the clean minibatches of a run: all are counted, the newest are
// kept for the medians, so that a run may go on for days.
type timings struct {
	count                          int
	time, stall, compute, overhead []float64
}

// keptTimings bounds what a run keeps: two epochs of BERT, the papers' longest.
const keptTimings = 10000

func (t *timings) add(e harness.Event) {
	t.count++
	for _, v := range []struct {
		list *[]float64
		ms   tegra.Val[float64]
	}{{&t.time, tegra.Some(e.TimeMS)}, {&t.stall, e.StallMS}, {&t.compute, e.ComputeMS}, {&t.overhead, e.OverheadMS}} {
		if !v.ms.OK {
			continue
		}
		if len(*v.list) >= 2*keptTimings {
			*v.list = append((*v.list)[:0], (*v.list)[keptTimings:]...)
		}
		*v.list = append(*v.list, v.ms.V)
	}
}

// collect takes minibatches until there are enough, the job ends (want 0: only
// then) or fails. The first one of a run is left out.
func collect(ctx context.Context, h harness.Harness, want int, observe observer, meter *meter) (timings, error) {
	var t timings
	first := true
	for want == 0 || t.count < want {
		e, err := h.Next(ctx)
		switch {
		case errors.Is(err, io.EOF) && t.count > 0:
			return t, nil
		case errors.Is(err, io.EOF):
			return t, errors.New("the workload ended before its second minibatch: let it run longer")
		case err != nil:
			return t, err
		case e.Kind == harness.Failure:
			return t, fmt.Errorf("the workload reports: %s", e.Message)
		case e.Kind != harness.Minibatch:
			continue
		case first:
			first = false
			meter.begin()
			continue
		}
		t.add(e)
		observe.minibatch(e, profiles.Progress{Phase: profiles.Measuring, Minibatch: t.count, Of: want, TimeMS: e.TimeMS, PowerW: meter.last()})
	}
	return t, nil
}

func (t timings) result(powerW tegra.Val[float64]) RunResult {
	out := RunResult{Minibatches: t.count, TimeMS: median(t.time).V, StallMS: median(t.stall),
		ComputeMS: median(t.compute), OverheadMS: median(t.overhead), PowerW: powerW}
	if powerW.OK {
		out.EnergyJ = tegra.Some(powerW.V * out.TimeMS / 1000)
	}
	return out
}

// median is absent when there is nothing.
func median(v []float64) tegra.Val[float64] {
	if len(v) == 0 {
		return tegra.Val[float64]{}
	}
	v = slices.Sorted(slices.Values(v))
	return tegra.Some((v[(len(v)-1)/2] + v[len(v)/2]) / 2)
}

// meter takes the mean power of an interval, by the samples' true times.
type meter struct {
	device  tegra.Device
	sampler *telemetry.Sampler
	cancel  func()
	mu      sync.Mutex
	on      bool
	energy  telemetry.Energy
	latest  tegra.Val[float64]
}

// sampleEvery is the papers' power sampling interval (method note c.3).
const sampleEvery = time.Second

func (s *Session) startMeter() *meter {
	m := &meter{device: s.Device, sampler: telemetry.NewSampler(s.Device, s.Clock, sampleEvery)}
	m.cancel = m.sampler.Subscribe(m.take)
	m.sampler.Start()
	return m
}

func (m *meter) take(s telemetry.Sample) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest = s.Reading.TotalW
	if m.on && s.Valid && m.latest.OK {
		m.energy.Add(s.T, m.latest.V)
	}
}

// begin starts the interval that counts.
func (m *meter) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = true
}

func (m *meter) last() tegra.Val[float64] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest
}

// stop ends sampling and gives the mean power, or the latest reading when the
// interval was too short for two samples; absent when no reading tells it.
func (m *meter) stop() tegra.Val[float64] {
	now, err := m.device.Read() // the job still runs
	m.cancel()
	m.sampler.Stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	if span := m.energy.Span().Seconds(); span > 0 {
		return tegra.Some(m.energy.Joules() / span)
	}
	if !m.latest.OK && err == nil {
		return now.TotalW
	}
	return m.latest
}
