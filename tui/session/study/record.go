package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jtune/optimize/energy"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/campaigns"
)

// Subject is what a study is about.
type Subject struct {
	Workload workload.Workload
	Board    string // with the origin of its numbers if it is not real
	Virtual  bool
	Full     bool
	Repeat   int
	Space    *tegra.Space
}

// Names of what is measured besides the pairs.
const (
	UsualGovernors = "default governors"
	FastestLocked  = "fastest mode, locked"
	AtBatch        = "batch "   // followed by the size
	Against        = "against " // followed by the workload's name
	AtTheLeast     = " at the least"
)

// Rounds is how often a baseline is measured, to reveal drift.
const Rounds = 3

// Energy returns the results of a recorded energy study, even an unfinished one.
func Energy(c campaigns.Campaign) (*EnergyReport, error) {
	if c.Err != nil {
		return nil, c.Err
	}
	h := c.Header
	if !campaigns.OfEnergy(h.Plan) {
		return nil, fmt.Errorf("%s holds no energy study", c.Name)
	}
	space, err := h.Device.Space()
	if err != nil {
		return nil, err
	}
	of := Subject{Workload: h.Workload, Board: h.Device.Name, Virtual: h.Device.Virtual, Repeat: 1, Space: space,
		Full: strings.Contains(h.Plan.Digest, " full=true ")}
	for word := range strings.FieldsSeq(h.Plan.Digest) {
		if n, is := strings.CutPrefix(word, "repeat="); is {
			of.Repeat, _ = strconv.Atoi(n)
		}
	}
	if of.Virtual {
		of.Board += " " + tegra.VirtualMark(tegra.Origin(true, h.Device.Replay))
	}
	runs, _, err := record.ReadRuns(c.Dir)
	return Sum(of, c.Rows(), runs), err
}

// Sum summarizes the rows of a study.
func Sum(of Subject, rows []record.Row, runs []record.Run) *EnergyReport {
	list, _ := Readings(of.Space, rows)
	out := &EnergyReport{Result: energy.Sum(of.Space, list), Subject: of, PerBatch: float64(max(1, of.Workload.Batch)),
		Latency: map[tegra.Mode]record.Latency{}}
	var seen []string
	for _, row := range rows {
		if !row.Status.Usable() {
			out.Failed.Add("%s: %s: %s", strings.Join(row.Extra, ", run "), row.Status, row.Why)
		}
		if len(row.Extra) == 0 || slices.Contains(seen, row.Extra[0]) {
			continue
		}
		name := row.Extra[0]
		if name == of.Space.Format(row.Mode) {
			if row.Answered() {
				out.Latency[row.Mode] = row.Serving.Latency
				out.PerBatch = unitsOf(row, of.Workload.Batch)
			}
			continue
		}
		seen = append(seen, name)
		if b, ok := baselineOf(name, of.Workload.Batch, rows, runs); ok {
			to := &out.Baselines
			switch {
			case strings.HasPrefix(name, Against):
				to = &out.Against
			case b.Batch != of.Workload.Batch:
				to = &out.Sizes
			}
			*to = append(*to, b)
		}
	}
	return out
}

// Readings returns the readings of pairs, and the modes without a usable one.
func Readings(space *tegra.Space, rows []record.Row) (list []tegra.Measured, failed []tegra.Mode) {
	for _, r := range campaigns.PairRows(space, rows) {
		if r.Status.Usable() {
			list = append(list, energyOf(r))
		} else {
			failed = append(failed, r.Mode)
		}
	}
	return list, failed
}

// energyOf returns the reading of a row with its mean power, so that time and power give the energy.
func energyOf(r record.Row) tegra.Measured {
	m := r.Measured
	if m.Batch = 0; r.EnergyJ > 0 && m.TimeMS > 0 {
		m.PowerW = 1000 * r.EnergyJ / m.TimeMS
	}
	return m
}

// unitsOf returns the units in one batch of a row.
func unitsOf(row record.Row, batch int) float64 {
	if v := row.Serving; v != nil && v.UnitJ.OK && v.UnitJ.V > 0 && row.EnergyJ > 0 {
		return row.EnergyJ / v.UnitJ.V
	}
	return float64(max(1, batch))
}

// baselineOf summarizes what was measured under a name besides the pairs; ok is false without a usable row.
func baselineOf(name string, batch int, rows []record.Row, runs []record.Run) (b EnergyBaseline, ok bool) {
	if n, is := strings.CutPrefix(name, AtBatch); is {
		batch, _ = strconv.Atoi(n)
	}
	b = EnergyBaseline{Name: name, Batch: batch}
	var list []tegra.Measured
	var cpu, gpu []telemetry.Residency
	for round := 1; round <= Rounds; round++ {
		row, found := record.RunOf(rows, runs, name, round)
		if !found || !row.Status.Usable() {
			continue
		}
		list = append(list, energyOf(row))
		b.PerBatch, b.Latency = unitsOf(row, batch), row.Work().Latency
		if c := row.Character; c != nil {
			cpu, gpu = append(cpu, c.CPU), append(gpu, c.GPU)
		}
	}
	b.CPU, b.GPU = telemetry.MeanResidency(cpu...), telemetry.MeanResidency(gpu...)
	b.Point, b.DriftPct = energy.Baseline(list)
	return b, len(list) > 0
}
