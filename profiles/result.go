package profiles

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"jtune/internal/stats"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/telemetry/sources"
)

// verdict checks what was collected; nil means a valid measurement.
func (m *measurement) verdict() *fault {
	during := m.cleanSamples()
	hot, lost, valid, lastWhy := 0, 0, 0, "no sample came"
	shares, loss := m.eventLoss(during)
	for i, s := range during {
		switch {
		case s.Reading.Heat.Or(false):
			hot++
		case shares[i] >= telemetry.MostLost:
			lost++
		}
		if s.Valid {
			valid++
		} else {
			lastWhy = s.Why
		}
	}
	n := float64(len(during))
	clocks, capped := m.clocks(during)
	all, events := loss.Lost()
	switch {
	case n > 0 && float64(hot) > record.ThrottledShare*n:
		return &fault{status: record.Throttled,
			why: fmt.Sprintf("throttled by heat in %d of %d samples", hot, len(during))}
	case all >= telemetry.MostLost || n > 0 && float64(lost) > record.ThrottledShare*n:
		return &fault{status: record.Throttled,
			why: fmt.Sprintf("slowed in %d of %d samples: %s", lost, len(during), events)}
	case m.hot() != "":
		return &fault{status: record.Hot, why: m.hot()}
	case faultIn(during, sources.Changed, 0) != "":
		return failed("%s: does another program set clocks (nvpmodel, jetson_clocks)?",
			faultIn(during, sources.Changed, 0))
	case faultIn(during, sources.Asleep, 0) != "":
		return failed("%s", faultIn(during, sources.Asleep, 0))
	case valid == 0:
		return failed("no valid power sample among %d: %s", len(during), lastWhy)
	case faultIn(during, sources.Lost, 0.5) != "":
		return failed("%s", faultIn(during, sources.Lost, 0.5))
	case clocks != "" && !capped:
		return &fault{status: record.Misset, why: clocks}
	}
	return nil
}

// faultIn describes the first fault of a kind that is in more than a share of the samples; "" if there is none.
func faultIn(during []telemetry.Sample, kind sources.FaultKind, share float64) string {
	count := map[string]int{}
	for _, s := range during {
		for _, f := range s.Faults {
			if f.Kind != kind {
				continue
			}
			if count[f.Source]++; float64(count[f.Source]) > share*float64(len(during)) {
				return f.String()
			}
		}
	}
	return ""
}

// eventLoss weighs the events of the supply against the steps: the share of its time that they cost each sample, and
// all of them.
func (m *measurement) eventLoss(during []telemetry.Sample) (shares []float64, all telemetry.EventLoss) {
	next := 0
	for _, s := range during {
		for ; next < len(m.clean) && m.clean[next].T <= s.T; next++ {
			all.Step(m.clean[next].TimeMS)
		}
		shares = append(shares, all.Take(s.T, s.Reading.Signals))
	}
	return shares, all
}

// fewestClean is how many minibatches are enough in a mode that is too slow for more: they differ by a few percent.
const fewestClean = 3

// timedOut judges a mode whose time limit has passed. The readings of a slow mode count, with a note; those of a pair
// need all of its parts.
func (m *measurement) timedOut() *fault {
	took := min(m.set.ModeTimeout, (m.b.Clock.Now() - m.began).Round(time.Second))
	why := fmt.Sprintf("%d of %d clean minibatches in %s", len(m.clean), m.set.Minibatches, took)
	if m.set.Requests > 0 {
		why = fmt.Sprintf("%d of %d requests were answered in %s", m.counted(), m.set.Requests, took)
	}
	if m.set.Epochs > 0 {
		why = fmt.Sprintf("%d clean minibatches of %d epochs in %s", len(m.clean), m.set.Epochs, took)
	}
	if !m.ready {
		why = fmt.Sprintf("no minibatch in %s", took)
	}
	if m.b.Pairing == nil && m.set.Epochs == 0 && len(m.clean) >= fewestClean && m.validSamples() >= m.set.MinSamples {
		m.late = "note: " + why
		return m.verdict()
	}
	return &fault{status: record.TimedOut, why: why}
}

// hot returns why the board is too hot for this measurement and the next ones: it was hot in more than a few of the
// samples that count, or is hot now; "" when it is not.
func (m *measurement) hot() string {
	during, n, why := m.cleanSamples(), 0, ""
	for _, s := range during {
		if now := s.Reading.Hot(); now != "" {
			n, why = n+1, now
		}
	}
	if float64(n) > record.ThrottledShare*float64(len(during)) {
		return why
	}
	return m.settle.hotNow()
}

// clocks returns which clock did not follow its setting, or its request where clocks are free, in more than half of the
// samples, "" when all did, and whether a cap of hardware or firmware explains it. Hot samples do not count, nor do
// modes without a job; a clock that reads zero is gated.
func (m *measurement) clocks(during []telemetry.Sample) (note string, capped bool) {
	v := m.step.Variant
	if v != nil && v.Idle {
		return "", false
	}
	if m.end.OK {
		during = append(slices.Clip(during), m.end.V)
	}
	off, caps := 0, 0
	for _, s := range during {
		if s.Reading.Heat.Or(false) {
			continue
		}
		why, cap := slowNote(s.Reading)
		if why == "" && !m.set.DVFS && m.step.Mode != (tegra.Mode{}) {
			why, cap = clockNote(s.Reading, m.step.Mode)
		}
		if why != "" {
			off, note = off+1, why
			if cap {
				caps++
			}
		}
	}
	if 2*off <= len(during) {
		return "", false
	}
	return note, caps == off
}

// slowNote names the first core that does not follow its requested clock, and reports whether all of them are at a cap
// below it.
func slowNote(r tegra.Reading) (note string, capped bool) {
	capped = true
	for _, c := range r.Slow {
		if c.Core {
			note = cmp.Or(note, c.String())
			capped = capped && c.Capped
		}
	}
	return note, capped && note != ""
}

// clockNote names the first clock that differs from its setting, each core by itself, and reports whether all such
// clocks are at a cap below their setting. A core that is idle says nothing, nor does a vague clock.
func clockNote(r tegra.Reading, set tegra.Mode) (note string, capped bool) {
	differs := func(a, b tegra.Freq) bool {
		return math.Abs(float64(a-b)) > record.MissetTolerance*float64(b)
	}
	capped = true
	check := func(name string, now, limit tegra.Val[tegra.Freq], set tegra.Freq) {
		if !now.OK || now.V <= 0 || !differs(now.V, set) {
			return
		}
		capped = capped && limit.OK && limit.V < set && !differs(now.V, limit.V)
		if note == "" {
			note = fmt.Sprintf("%s clock reads %s where %s is set", name, now.V, set)
		}
	}
	for i, c := range r.Cores {
		if c.Online && !c.Vague && !(c.LoadPct.OK && c.LoadPct.V < sources.IdlePct) {
			check(fmt.Sprintf("CPU core %d", i), c.Freq, r.CPU.Cap, set.CPU)
		}
	}
	if len(r.Cores) == 0 {
		check("CPU", r.CPU.Actual, r.CPU.Cap, set.CPU)
	}
	check("GPU", r.GPU.Actual, r.GPU.Cap, set.GPU)
	check("memory", r.EMC.Actual, r.EMC.Cap, set.EMC)
	return note, capped && note != ""
}

// row builds the mode's row from what was collected.
func (m *measurement) row(f *fault) record.Row {
	r := record.Row{
		Measured:    tegra.Measured{Setting: m.step.Setting},
		Status:      record.OK,
		Applied:     m.applied.Actual.V,
		Raise:       m.step.Raise,
		Minibatches: len(m.clean),
		TookS:       (m.b.Clock.Now() - m.began).Seconds(),
		When:        m.b.Clock.Wall(),
	}
	if m.settle.Verdict() != telemetry.Settling {
		r.SettleS = (m.settle.At() - m.since).Seconds()
	}
	power, energy := m.power()
	r.PowerSamples = len(power)
	if m.monitor != nil && len(m.clean) > 0 {
		c := m.monitor.Finish()
		r.Character, r.Serving = &c, c.Serving
	}
	if m.b.hot = m.hot(); f != nil {
		r.Status, r.Why = f.status, f.why
		if over := f.over; over != nil { // the previous mode is applied again
			r.PowerW, r.SettleS, r.Applied = over.powerW, over.after.Seconds(), tegra.Mode{}
		}
		return r
	}
	if m.settle.Verdict() == telemetry.Unstable && m.clean[0].Summary == nil {
		r.Status, r.Why = record.Unstable, fmt.Sprintf("power was not steady within %s", m.set.SteadyGiveUp)
	}
	took := m.took()
	r.TimeMS, r.Errors.Time = took.Mean, tegra.Finite(took.Relative())
	r.TimeMedianMS, r.TimeIQRMS = tegra.Some(harness.RoundMS(took.Median)), took.IQR
	r.PowerW, r.Errors.Power = record.RoundW(cmp.Or(energy.MeanW(), stats.Mean(power))), energy.Error()
	r.PowerIQRW = record.RoundW(stats.IQR(power))
	r.Measured = r.With(m.further()...)
	r.SetParts(took.of)
	r.EnergyJ = r.PowerW * took.Mean / 1000
	if m.b.Pairing != nil {
		m.pairRow(&r)
	}
	for _, e := range []*tegra.Val[float64]{&r.Errors.Time, &r.Errors.Power} { // as the record keeps them
		e.V = math.Round(1e6*e.V) / 1e6
	}
	if r.Why == "" && m.b.Pairing == nil {
		r.Why = m.note()
	}
	return r
}

// duration is the time of a unit, and the minibatches of which it is the mean: whole periods, without an outlier.
type duration struct {
	stats.Estimate
	IQR float64
	of  []harness.Event
}

// took returns the time of a unit over the clean minibatches; of users' requests, which are of any length, that of as
// many units as the workload's requests have.
func (m *measurement) took() duration {
	units := m.b.Workload.UnitsOfRequest()
	times, weights := make([]float64, len(m.clean)), make([]float64, len(m.clean))
	each := make([]float64, len(m.clean))
	for i, e := range m.clean {
		if times[i], weights[i] = e.TimeMS, 1; e.Summary != nil {
			times[i] = e.Summary.TimeMS
		}
		if units > 0 {
			weights[i] = float64(max(1, e.N)) / float64(units)
		}
		each[i] = times[i] / weights[i]
	}
	d := duration{Estimate: stats.MeanOf(times, weights), IQR: stats.IQR(each), of: m.clean}
	if slices.Min(each) == slices.Max(each) { // without the rounding errors of a sum
		d.Mean = each[0]
	}
	if n := len(m.clean); n > 1 && m.clean[0].Shared != 0 && m.clean[0].Shared == m.clean[n-1].Shared {
		d.Error = math.NaN() // one burst of lines: all have its mean time
	}
	if at := d.Outlier; at >= 0 {
		d.of = slices.Delete(slices.Clone(d.of), at, at+1)
	}
	d.of = d.of[d.From:]
	return d
}

// note returns the most important remark on a good row; "" when there is none. Remarks about the job appear only in its
// first good row.
func (m *measurement) note() string {
	late := m.late
	if m.set.Requests > 0 {
		late = cmp.Or(m.monitor.lateNote(), m.late)
	} else if !m.b.Workload.Live() { // live requests overlap or pause, so their times say nothing
		late = cmp.Or(m.timingNote(), m.late)
	}
	if late != "" {
		return late
	}
	if beside := faultIn(m.cleanSamples(), sources.Shared, 0); beside != "" {
		return "note: " + beside
	}
	if note := m.b.jobNote; note != m.b.notedJob {
		m.b.notedJob = note
		return note
	}
	if note, _ := m.clocks(m.cleanSamples()); note != "" {
		return "note: " + note + ", where a cap holds it"
	}
	if _, loss := m.eventLoss(m.cleanSamples()); len(loss.Losses()) > 0 {
		_, text := loss.Lost()
		return "note: " + text
	}
	return m.countNote()
}

// power returns the watts of the valid samples, and their energy over the clean minibatches by
// true sample times.
func (m *measurement) power() (watts []float64, e telemetry.Energy) {
	if len(m.clean) > 0 {
		e.Begin(m.clean[0].Began())
	}
	for _, s := range m.cleanSamples() {
		if s.Valid {
			watts = append(watts, s.Reading.TotalW.V)
			e.Sample(s)
		}
	}
	return watts, e
}

// further returns the means of what the rails read over the same samples.
func (m *measurement) further() []tegra.Value {
	var all tegra.Sums
	for _, s := range m.cleanSamples() {
		if s.Valid {
			all.Add(metric.Values(s.Reading))
		}
	}
	return all.Means()
}

// timingNote compares the reported times of the minibatches with the times at which they were reported. A job with
// buffered output reports in bursts; a job that reports seconds as milliseconds is off by a factor of a thousand. The
// result is a note, not a failure.
func (m *measurement) timingNote() string {
	if len(m.clean) < 2 || m.clean[0].Summary != nil {
		return ""
	}
	passed := float64(m.clean[len(m.clean)-1].T-m.clean[0].T) / float64(time.Millisecond)
	told := 0.0
	for _, e := range m.clean[1:] {
		told += e.TimeMS
	}
	switch {
	case told > 1.5*passed+500:
		return fmt.Sprintf(
			"note: the reported minibatch times add up to %.0f ms, but they came within %.0f ms: does the job flush "+
				"its output after each line?",
			told,
			passed,
		)
	case 20*told < passed:
		return fmt.Sprintf(
			"note: the reported minibatch times add up to %.3g ms, but they came over %.0f ms: is time_ms in "+
				"milliseconds?",
			told,
			passed,
		)
	}
	return ""
}
