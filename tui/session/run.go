package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/quantile"
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
	var base profiles.Base
	if r.Base > 0 && !s.replays() { // a table does not tell what the idle board draws
		var err error
		if base, err = profiles.BaseLoad(ctx, s.Sampler, s.Clock, r.Base, false); err != nil {
			return RunResult{}, err
		}
	}
	watch := profiles.NewWatch(r.Workload, s.Device, s.Clock, s.system(r.Workload), base)
	h, err := s.harness(r.Workload, profiles.Settings{}, r.Log, r.Epochs)(ctx, 0)
	if err != nil {
		return RunResult{}, err
	}
	meter := s.startMeter(watch, h)
	t, err := collect(ctx, h, want, observer(observe), meter)
	watch.End()
	power := meter.stop()
	if stopErr := h.Stop(context.WithoutCancel(ctx)); err == nil {
		err = stopErr
	}
	return t.result(watch.Finish(), power), err
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
			meter.watch.Tell(e)
			continue
		case first:
			first = false
			meter.watch.Skip(e)
			continue
		}
		t.add(e)
		meter.watch.Minibatch(e)
		observe.minibatch(e, profiles.Progress{Phase: profiles.Measuring, Minibatch: t.count, Of: want, TimeMS: e.TimeMS, PowerW: meter.last()})
		if meter.due() && observe != nil {
			soFar := meter.watch.Character()
			observe(Event{Character: &soFar})
		}
	}
	return t, nil
}

func (t timings) result(c profiles.Character, latestW tegra.Val[float64]) RunResult {
	powerW := c.All.PowerW
	if !powerW.OK {
		powerW = latestW
	}
	out := RunResult{Minibatches: t.count, TimeMS: quantile.Median(t.time).V, StallMS: quantile.Median(t.stall),
		ComputeMS: quantile.Median(t.compute), OverheadMS: quantile.Median(t.overhead), PowerW: powerW, Character: c}
	if powerW.OK {
		out.EnergyJ = tegra.Some(powerW.V * out.TimeMS / 1000)
	}
	return out
}

// meter samples the device for a watch and knows the latest power.
type meter struct {
	device tegra.Device
	watch  *profiles.Watch
	look   func() // at what the job has said
	cancel func()
	mu     sync.Mutex
	latest tegra.Val[float64]
	fresh  bool // a sample came since due was asked
}

// sampleEvery is the papers' power sampling interval (method note c.3).
const sampleEvery = time.Second

// startMeter begins to sample; what the job has said is looked at with each
// sample, so that the machine wakes once for both.
func (s *Session) startMeter(w *profiles.Watch, h harness.Harness) *meter {
	m := &meter{device: s.Device, watch: w, look: func() {}}
	if p, ok := h.(harness.Paced); ok {
		m.look = p.Pace()
	}
	m.cancel = s.Sampler.Subscribe(sampleEvery, m.take)
	return m
}

func (m *meter) take(s telemetry.Sample) {
	m.watch.Sample(s)
	m.look()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.latest, m.fresh = s.Reading.TotalW, true
}

// due tells whether a sample came since it was asked last.
func (m *meter) due() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := m.fresh
	m.fresh = false
	return fresh
}

func (m *meter) last() tegra.Val[float64] {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest
}

// stop ends sampling and gives the latest power, read anew when there is none;
// absent when no reading tells it.
func (m *meter) stop() tegra.Val[float64] {
	now, err := m.device.Read() // the job still runs
	m.cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.latest.OK && err == nil {
		return now.TotalW
	}
	return m.latest
}
