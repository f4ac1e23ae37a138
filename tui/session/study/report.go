package study

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/conclusion"
	"jtune/internal/text"
	"jtune/optimize/energy"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
)

// EnergyReport is the result of an energy study.
type EnergyReport struct {
	energy.Result
	Subject
	PerBatch  float64          // units per batch
	Baselines []EnergyBaseline // first the baseline of the savings, then other governors
	Sizes     []EnergyBaseline // other batch sizes, at the clocks of the first baseline
	Against   []EnergyBaseline // another job: at the baseline's clocks, then at the best pair
	Failed    text.Lines
	Latency   map[tegra.Mode]record.Latency // of the pairs
}

// EnergyBaseline is something measured besides the pairs.
type EnergyBaseline struct {
	energy.Point
	Name     string
	Batch    int
	PerBatch float64 // units per batch
	DriftPct float64 // between its readings
	Latency  record.Latency
	CPU, GPU telemetry.Residency // mean of its readings
}

// UnitJ returns the energy of a unit.
func (b *EnergyBaseline) UnitJ() float64 { return b.EnergyJ() / b.PerBatch }

// UnitJ returns the energy of a unit at one of the study's points.
func (r *EnergyReport) UnitJ(p energy.Point) float64 { return p.EnergyJ() / r.PerBatch }

// LatencyCosts are the default latency allowances, in percent, for the reported least energy.
var LatencyCosts = []float64{0, 10, 20}

// Base returns the baseline of the savings; absent if it was not measured, or if it is a doubtful reading of locked
// clocks.
func (r *EnergyReport) Base() (b EnergyBaseline, ok bool) {
	if len(r.Baselines) == 0 || r.Baselines[0].Name == FastestLocked && !r.Trusts(r.Baselines[0].Mode) {
		return b, false
	}
	return r.Baselines[0], true
}

// pctOver returns the change from against to at, in percent.
func pctOver(at, against float64) float64 { return 100 * (at/against - 1) }

// Change returns the changes of energy and batch time from the baseline to a measurement, in percent; absent without a
// baseline.
func (r *EnergyReport) Change(p energy.Point, unitJ float64) (energyPct, timePct tegra.Val[float64]) {
	b, ok := r.Base()
	if !ok || !(p.TimeMS > 0) {
		return energyPct, timePct
	}
	return tegra.Finite(pctOver(unitJ, b.UnitJ())), tegra.Finite(pctOver(p.TimeMS, b.TimeMS))
}

// change is Change for one of the study's points.
func (r *EnergyReport) change(p energy.Point) (energyPct, timePct tegra.Val[float64]) {
	return r.Change(p, r.UnitJ(p))
}

// Capped returns the measured pair of least energy whose batches take at most pct percent longer than the baseline's;
// absent if there is none, or without a baseline.
func (r *EnergyReport) Capped(pct float64) tegra.Val[energy.Point] {
	if b, ok := r.Base(); ok {
		return r.Within(b.TimeMS * (1 + pct/100))
	}
	return tegra.Val[energy.Point]{}
}

// Highest returns the highest clock in use and its share of the time; absent if unknown.
func Highest(r telemetry.Residency) tegra.Val[telemetry.ClockShare] {
	if !r.OK() {
		return tegra.Val[telemetry.ClockShare]{}
	}
	return tegra.Some(r.Shares[0])
}

// Mode formats a mode in the board's notation.
func (r *EnergyReport) Mode(m tegra.Mode) string { return r.Space.Format(m) }

// scatter is by how many percent the readings of each setting vary.
type scatter struct {
	CVPct []float64 `turn:"0 10"`
}

var unsteady = conclusion.New("energy: readings vary", 3, func(s scatter) string {
	n := 0
	for _, pct := range s.CVPct {
		if pct > record.MostCVPct {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%s whose energies vary by more than %d %%: let the board rest and cool, and end other "+
		"programs.", text.Count(n, "setting"), record.MostCVPct)
})

func (r *EnergyReport) scatter() (s scatter) {
	for _, p := range r.Points {
		s.CVPct = append(s.CVPct, p.CVPct.Or(0))
	}
	return s
}

// UnitEnergyText formats the energy of a unit.
func UnitEnergyText(j float64) string {
	if j >= 1 {
		return text.Of(j) + " J"
	}
	return text.Of(1000*j) + " mJ"
}

func percentText(v tegra.Val[float64]) string {
	if !v.OK {
		return "–"
	}
	return fmt.Sprintf("%+.1f %%", v.V)
}

// latencySlack is the relative noise allowed when latency rises with a clock.
const latencySlack = 0.05

// LatencyFalls reports whether latency falls with each step of both clocks, within the noise.
func (r *EnergyReport) LatencyFalls() bool { return r.Grid().LatencyFalls(latencySlack) }

// CappedText describes the pair of least energy within an allowance of latency.
func (r *EnergyReport) CappedText(pct float64) string {
	base, known := r.Base()
	of := allowed{Baseline: base.Name, Within: pct}
	if c := r.Capped(pct); c.OK {
		of.Pair = r.said(c.V)
	}
	if known {
		of.LeastPct = tegra.Finite(pctOver(r.QuickestMS(), base.TimeMS))
	}
	return withinLatency.Say(of)
}

// allowed is an allowance of latency over the baseline's, and how much more than that the quickest pair has, both in
// percent.
type allowed struct {
	Baseline string
	Pair     string             // of least energy within the allowance
	Within   float64            `turn:"-20 20"`
	LeastPct tegra.Val[float64] `turn:"-20 20"`
}

var withinLatency = conclusion.New("energy: within a latency", 3, func(a allowed) string {
	switch {
	case !a.LeastPct.OK:
		return "There is no baseline to compare latencies with, or no pair."
	case a.LeastPct.V > a.Within:
		return fmt.Sprintf("No measured pair has a latency within %+g %% of the %s.", a.Within, a.Baseline)
	}
	return fmt.Sprintf("Within %+g %% of latency: %s.", a.Within, a.Pair)
})

// Findings describes the results in sentences, the answer first.
func (r *EnergyReport) Findings() (lines text.Lines) {
	r.sayLeast(&lines)
	base, known := r.Base()
	for _, s := range r.Sizes {
		if known {
			says := sizeSaves.Say(sizeSaving{r.Workload.UnitName(), s.UnitJ(), base.UnitJ(), r.mostSaved()})
			lines.Add("Batch %d in place of %d, with the same clocks: %s; a batch takes %s ms.", s.Batch, base.Batch,
				says, text.Of(s.TimeMS))
		}
	}
	if known {
		r.sayBaselines(&lines, base)
	}
	for i, a := range r.Against {
		at, own := base.UnitJ(), "with the "+base.Name
		if i == 1 && r.Least.OK {
			at, own = r.UnitJ(r.Least.V), "at "+r.Mode(r.Least.V.Mode)
		}
		if known {
			lines.Add("%s %s: %s per %s, %s.", strings.TrimSuffix(a.Name, AtTheLeast), own, UnitEnergyText(a.UnitJ()),
				r.Workload.UnitName(), jobsDiffer.Say(rivals{r.Workload.Name, at, a.UnitJ()}))
		}
	}
	if r.Least.OK {
		lines.Add("Measured, else predicted: %s.", shapes.Say(shape{r.LatencyFalls(), r.Grid().InnerMinimum()}))
	}
	for _, p := range r.Doubted() {
		lines.Add("%s read %s per %s, %s: it is ignored unless measured again.", r.Mode(p.Mode),
			UnitEnergyText(r.UnitJ(p)), r.Workload.UnitName(), outlies.Say(outlier{p.EnergyJ(), p.OthersJ}))
	}
	return append(lines, text.Said(unsteady.Say(r.scatter()))...)
}

// outlier is the energy of a batch by a doubted reading, and by the others.
type outlier struct {
	J, OthersJ float64 `turn:"0.2 5"`
}

// alikePct is up to how many percent energies are called alike.
const alikePct = 5

var outlies = conclusion.New("energy: a doubted reading", 3, func(o outlier) string {
	switch pct := 100 * (o.J/o.OthersJ - 1); {
	case math.Abs(pct) <= alikePct:
		return "of a time and a power that the other readings contradict"
	case pct > 0:
		return fmt.Sprintf("%.0f %% more than by the other readings", pct)
	default:
		return fmt.Sprintf("%.0f %% less than by the other readings", -pct)
	}
})

func (r *EnergyReport) sayLeast(lines *text.Lines) {
	if !r.Least.OK {
		lines.Add("No pair of clocks was measured: the least energy is unknown.")
		return
	}
	p := r.Least.V
	lines.Add("Least energy: %s.", r.said(p))
	if b := r.Beyond; b.OK {
		lines.Add("With other cores or memory clocks: %s.", r.said(b.V))
	}
	base, ok := r.Base()
	if !ok {
		if len(r.Baselines) > 0 {
			lines.Add("The baseline, %s, has a doubted reading: no saving is given against it.",
				r.Baselines[0].Name)
		}
		return
	}
	var parts []string
	for _, pct := range LatencyCosts {
		if c := r.Capped(pct); c.OK {
			energy, _ := r.change(c.V)
			parts = append(parts, fmt.Sprintf("%+.0f %%: %s at %s", pct, percentText(energy), r.Mode(c.V.Mode)))
		}
	}
	if len(parts) > 0 {
		lines.Add("Within a latency over that of the %s of %s.", base.Name, strings.Join(parts, "; "))
	}
}

// sizeSaving is the energy of a unit at another batch size, and what the best clocks save, in percent.
type sizeSaving struct {
	Unit     string
	J, BaseJ float64            `turn:"0.5 2"`
	MostPct  tegra.Val[float64] `turn:"-60 10"`
}

var sizeSaves = conclusion.New("energy: batch size", 2, func(s sizeSaving) string {
	pct, more := pctOver(s.J, s.BaseJ), ""
	if s.MostPct.OK && pct < s.MostPct.V {
		more = ": more than any clock saves"
	}
	return fmt.Sprintf("%s per %s, %+.0f %%%s", UnitEnergyText(s.J), s.Unit, pct, more)
})

// rivals are the energies of a unit of two jobs.
type rivals struct {
	Name      string
	J, OtherJ float64 `turn:"0.5 2"`
}

var jobsDiffer = conclusion.New("energy: two jobs", 2, func(x rivals) string {
	pct, how := pctOver(x.J, x.OtherJ), "more"
	if pct < 0 {
		pct, how = -pct, "less"
	}
	return fmt.Sprintf("%s takes %.1f %% %s", x.Name, pct, how)
})

// shape is how latency and energy follow the clocks.
type shape struct{ Falls, Inner bool }

var shapes = conclusion.New("energy: shape", 4, func(s shape) string {
	falls, inner := "falls with both clocks", "has its minimum inside the range of the GPU's clocks"
	if !s.Falls {
		falls = "does not fall with every step of the clocks"
	}
	if !s.Inner {
		inner = "is least at an end of the GPU's clocks"
	}
	return fmt.Sprintf("latency %s; energy, with the CPU at its highest clock, %s", falls, inner)
})

// mostDriftPct is the drift of a baseline up to which it is not mentioned.
const mostDriftPct = 3.0

// drift is by how much the baseline's readings differ, and the largest saving against it, both in percent.
type drift struct {
	Pct     float64            `turn:"0 20"`
	MostPct tegra.Val[float64] `turn:"-20 5"`
}

var drifted = conclusion.New("energy: drift", 3, func(d drift) string {
	says := fmt.Sprintf("The baseline drifted by %.1f %% between its readings, first, in the middle and last: ", d.Pct)
	switch {
	case d.Pct <= mostDriftPct:
		return ""
	case d.MostPct.OK && -d.MostPct.V <= d.Pct:
		return says + "no saving is significant; let the board warm up first."
	}
	return says + "smaller savings are not significant; let the board warm up first."
})

// mostSaved returns the largest saving against the baseline by any clock or core count, as a change of energy in %.
func (r *EnergyReport) mostSaved() (most tegra.Val[float64]) {
	for _, p := range []tegra.Val[energy.Point]{r.Least, r.Beyond} {
		if saved, _ := r.change(p.V); p.OK && saved.OK && (!most.OK || saved.V < most.V) {
			most = saved
		}
	}
	return most
}

// said describes a point: its energy, mode, certainty, and the change from the baseline.
func (r *EnergyReport) said(p energy.Point) string {
	out := fmt.Sprintf("%s per %s at %s, %s", UnitEnergyText(r.UnitJ(p)), r.Workload.UnitName(), r.Mode(p.Mode),
		text.Count(p.N, "reading"))
	if p.CVPct.OK {
		out += fmt.Sprintf(" that vary by %.1f %%", p.CVPct.V)
	}
	energy, time := r.change(p)
	if base, ok := r.Base(); ok && energy.OK {
		out += fmt.Sprintf("; %s of energy and %s of latency against the %s, %s and %s ms", percentText(energy),
			percentText(time), base.Name, UnitEnergyText(base.UnitJ()), text.Of(base.TimeMS))
	}
	return out
}

func (r *EnergyReport) sayBaselines(lines *text.Lines, base EnergyBaseline) {
	for _, b := range r.Baselines[1:] {
		lines.Add("%s: %+.1f %% of energy and %+.1f %% of latency against the %s.", b.Name,
			pctOver(b.UnitJ(), base.UnitJ()), pctOver(b.TimeMS, base.TimeMS), base.Name)
	}
	cpu, gpu := Highest(base.CPU), Highest(base.GPU)
	if base.Name == UsualGovernors && cpu.OK && gpu.OK {
		lines.Add("With the %s the highest clock in use is the CPU's %s for %.0f %% of the time and the GPU's %s for "+
			"%.0f %%.", base.Name, cpu.V.Freq, 100*cpu.V.Share, gpu.V.Freq, 100*gpu.V.Share)
	}
	*lines = append(*lines, text.Said(drifted.Say(drift{base.DriftPct, r.mostSaved()}))...)
}
