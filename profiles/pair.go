package profiles

import (
	"cmp"
	"context"
	"math"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/harness/turns"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// Two jobs that share a GPU are measured in one setting, in parts. First each job takes turns alone without pauses:
// this shows its power, as sensors cannot follow single turns. Then both run, or only the requests, until there are
// enough requests for the latency quantiles.

const (
	// pairRequests is how many answered requests a 99 % quantile needs.
	pairRequests = 1000
	// longestPart is how long a part waits for them; fewestRequests are then enough.
	longestPart    = 2 * time.Minute
	fewestRequests = 20
)

// Pairing is how two jobs share the GPU. The bench's workload is the inference.
type Pairing struct {
	Policy    string // strict, fill, free, or record.Alone: without training
	Tau       int
	MaxWaitMS float64
	Requests  int // to be answered; 0: pairRequests
}

// parts returns the parts to measure, in order.
func (p *Pairing) parts() []turns.Part {
	switch p.Policy {
	case record.Alone:
		return []turns.Part{turns.ServeLoad}
	case record.Free:
		return []turns.Part{turns.Together}
	}
	return []turns.Part{turns.TrainAlone, turns.ServeAlone, turns.Together}
}

func (p *Pairing) requests() int {
	if p.Requests > 0 {
		return p.Requests
	}
	return pairRequests
}

// PairProgress is the progress of two jobs in the current part of their measurement.
type PairProgress struct {
	Part turns.Part
	record.Pair
}

// ofPair is the state of a measurement of a pair.
type ofPair struct {
	part      turns.Part
	latencies []float64 // ms
	found     record.Pair
	told      time.Duration // when PairProgress was last sent
}

// collectParts is collect for one job or for two. monitor belongs to the first part; again creates the monitor of a
// further part.
func (m *measurement) collectParts(ctx context.Context, monitor *Monitor, again func() *Monitor) error {
	job, two := m.b.job.(*turns.Pair)
	if !two || m.b.Pairing == nil {
		m.begin(monitor)
		defer monitor.End()
		return m.collect(ctx)
	}
	how := m.b.Pairing
	m.pair.found = record.Pair{Policy: how.Policy, Tau: how.Tau, MaxWaitMS: how.MaxWaitMS}
	for i, part := range how.parts() {
		if i > 0 {
			monitor = again()
		}
		job.Share(part)
		m.pair.part, m.pair.latencies = part, nil
		m.begin(monitor)
		err := m.collect(ctx)
		monitor.End()
		if err != nil {
			return err
		}
		m.endPart()
	}
	return nil
}

// counts reports whether a turn belongs to the current part.
func (m *measurement) counts(e harness.Event) bool {
	switch m.pair.part {
	case turns.TrainAlone:
		return e.Job != harness.JobInfer
	case turns.ServeAlone, turns.ServeLoad:
		return e.Job == harness.JobInfer
	}
	return true
}

// request notes an answered request. Those that arrived before power was steady do not count.
func (m *measurement) request(e harness.Event) {
	m.monitor.Event(e)
	if m.b.Pairing != nil && m.settle.Verdict() != telemetry.Settling && e.Arrive >= max(m.since, m.settle.At()) {
		m.pair.latencies = append(m.pair.latencies, e.Latency())
	}
}

// enoughOfPart is enough for a part with requests.
func (m *measurement) enoughOfPart(e harness.Event) bool {
	if len(m.clean) == 0 || m.validSamples() < m.set.MinSamples {
		return false
	}
	return len(m.pair.latencies) >= m.b.Pairing.requests() || e.T-m.clean[0].T > longestPart
}

// soFar returns the pair's progress once per sampling interval; otherwise nil.
func (m *measurement) soFar(e harness.Event) *PairProgress {
	if m.b.Pairing == nil || len(m.clean) == 0 || m.pair.told > m.since && e.T-m.pair.told < m.set.SampleEvery {
		return nil
	}
	m.pair.told = e.T
	return &PairProgress{m.pair.part, m.ofPart()}
}

// endPart stores the result of a part.
func (m *measurement) endPart() { m.pair.found = m.ofPart() }

// ofPart returns the earlier results together with those of the current part.
func (m *measurement) ofPart() record.Pair {
	p, watts := m.pair.found, func() tegra.Val[float64] {
		power, energy := m.power()
		return tegra.Val[float64]{V: cmp.Or(energy.MeanW(), stats.Mean(power)), OK: power != nil}
	}
	switch m.pair.part {
	case turns.TrainAlone:
		p.TrainAloneMS, p.TrainAloneW = meanTurn(m.clean, harness.JobTrain), watts()
		return p
	case turns.ServeAlone:
		p.InferAloneMS, p.InferAloneW = meanTurn(m.clean, harness.JobInfer), watts()
		return p
	}
	span := (m.clean[len(m.clean)-1].T - m.clean[0].Began()).Seconds()
	_, energy := m.power()
	p.MeanW = record.RoundW(energy.MeanW())
	p.TrainMS, p.InferMS = meanTurn(m.clean, harness.JobTrain), meanTurn(m.clean, harness.JobInfer)
	busy, requests := 0.0, 0
	for _, e := range m.clean {
		busy += e.TimeMS / 1000
		switch e.Job {
		case harness.JobTrain:
			p.Minibatches++
			if e.Late {
				p.Late++
			}
		default:
			requests += e.N
		}
	}
	p.TrainPerS, p.ServedPerS = float64(p.Minibatches)/span, float64(requests)/span
	if p.Policy != record.Free {
		p.IdleShare = tegra.Some(math.Round(1e9*max(0, 1-busy/span)) / 1e9)
	}
	p.Latency = record.LatencyOf(m.pair.latencies)
	return p
}

// meanTurn returns the mean time of a job's turns; absent if it had none.
func meanTurn(events []harness.Event, job string) tegra.Val[float64] {
	var list []float64
	for _, e := range events {
		if e.Job == job {
			list = append(list, e.TimeMS)
		}
	}
	return tegra.Val[float64]{V: harness.RoundMS(stats.Mean(list)), OK: list != nil}
}

// pairRow adds the results of two jobs to the row.
func (m *measurement) pairRow(r *record.Row) {
	p := m.pair.found
	r.Pair = &p
	r.TimeMS, r.TimeIQRMS, r.Errors = p.InferMS.V, 0, tegra.Errors{}
	if p.TrainMS.OK {
		r.TimeMS = p.TrainMS.V
	}
	r.TimeMedianMS = tegra.Some(r.TimeMS)
	r.PowerW, r.EnergyJ = p.MeanW, 0
	if p.TrainPerS > 0 {
		r.EnergyJ = p.MeanW / p.TrainPerS
	}
	m.pair.latencies = nil
}

// fewRequests returns the fault of a part with too few requests to be meaningful; nil if there were enough.
func (m *measurement) fewRequests() *fault {
	if m.b.Pairing == nil || m.pair.found.Latency.N >= min(fewestRequests, m.b.Pairing.requests()) {
		return nil
	}
	return failed("%d requests were answered in %s: the rate is too low to be measured, or the queue only grows",
		m.pair.found.Latency.N, longestPart)
}
