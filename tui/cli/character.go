package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"jtune/internal/document"
	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles/record"
	"jtune/profiles/record/remarks"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/measure"
)

// peaksText describes the peaks in words; "" if nothing is known.
func peaksText(p telemetry.Peaks, b tegra.Board) string {
	rail := ""
	if r := p.Supply(b); r != nil {
		rail = fmt.Sprintf("%.2f A of %s, which fell to %s", r.Amperes.V, r.Name, dash(r.LeastV, "%.3f V"))
	}
	return joined("; ", ifAny(p.PowerW, "%.2f W"), rail)
}

// runDocument is the document of `jtune run --json`: the run, its character, whose means are per minibatch, the cost of
// a command, whose runs all has if there were several, and for inference what it served.
func runDocument(r measure.RunResult, b tegra.Board, all []measure.RunResult) (json.RawMessage, error) {
	c, epochs := r.Character, "all" // that the numbers cover
	if c.SteadyIsLater() {
		epochs = "later"
	}
	var reading any // how a command was read, or the cost of reading the sensors
	if v := readingObject(r); v != nil {
		reading = v
	}
	if r.ReadCost != nil {
		reading = r.ReadCost
	}
	time, energyError := tegra.Val[float64]{V: r.TimeMS, OK: r.TimeMS > 0}, r.Error.Energy()
	if w := r.Whole; w != nil && r.Reading == nil {
		r.EnergyJ, r.PowerW, r.Error, energyError = w.EnergyJ, w.MeanW, tegra.Errors{Power: w.Error}, w.Error
	}
	// The load on the supply: the current of its rail, and the voltage to which that fell.
	peak := report.Object{{"power_w", r.Peaks.PowerW}, {"current_a", nil}, {"rail", nil}}
	least := report.Object{{"voltage_v", nil}, {"rail", nil}}
	if s := r.Peaks.Supply(b); s != nil {
		peak[1][1], peak[2][1] = s.Amperes, text.Optional(s.Name)
		least = report.Object{{"voltage_v", s.LeastV}, {"rail", text.Optional(s.Name)}}
	}
	return report.Join(report.Object{
		{"time_ms", time},
		{"time_median_ms", tegra.Val[float64]{V: r.MedianMS, OK: r.MedianMS > 0}},
		{"time_mean_ms", time}, // an older name of time_ms
		{"time_error_pct", percent(r.Error.Time)},
		{"power_error_pct", percent(r.Error.Power)},
		{"energy_error_pct", percent(energyError)},
	}, r, report.Object{
		{"minibatches_per_s", tegra.Val[float64]{V: 1000 / r.TimeMS, OK: time.OK}},
		{"epochs", epochs},
		{"epoch_zero_included", c.First.OK && !c.SteadyIsLater()},
		{"steady", r.Settled == telemetry.Settled},
		{"hot_reason", text.Optional(r.Hot)},
		{"device", b.Name},
		{"virtual", b.Virtual}, // power, possibly also the times, is simulated or replayed
	}, c, report.Object{
		{"bound", text.Optional(remarks.BoundOf(&c))},
		{"epoch_s", c.EpochS(c.Steady())},
		{"base_why", text.Optional(c.BaseWhy)},
		{"base_share_pct", percent(c.BaseShare())},
		{"cache_before_pct", percent(c.CacheBefore)},
		{"cache_ready_pct", percent(c.CacheReady)},
		{"cache_after_pct", percent(c.CacheAfter)},
		{"cache_why", text.Optional(c.CacheWhy)},
		{"disk", text.Optional(c.Disk)},
		{"uptime_s", tegra.Val[float64]{V: c.Uptime.V.Seconds(), OK: c.Uptime.OK}},
		{"versions", listOf(c.Versions)},
		{"advice", listOf(r.Advice)},
		{"peak", peak},
		{"least", least},
		{"reading", reading},
	}, wholeObject(r, all), c.Serving.Object())
}

// percent converts a share to per cent.
func percent(v tegra.Val[float64]) tegra.Val[float64] {
	v.V *= 100
	return v
}

// characterFacts describes a run's character; of inference, only what does not come in epochs.
func characterFacts(c record.Character) document.Facts {
	p := c.Steady()
	epoch, zero, later, disk, cache := epochText(c), "", "", diskText(c), cacheText(c)
	if c.First.OK && c.Later.OK {
		zero, later = partText(c.First.V), partText(c.Later.V)
	}
	if c.Serving != nil {
		epoch, zero, later, disk, cache = "", "", "", "", ""
	}
	ram := p.RAMBytes
	ram.V /= 1e9
	median := p.RAMMedianBytes
	median.V /= 1e9
	uptime := ""
	if c.Uptime.OK {
		uptime = units.Span(c.Uptime.V)
	}
	return document.Facts{
		{"epoch", epoch},
		{"epoch 0", zero},
		{"later epochs", later},
		{"base load", baseText(c)},
		{"busy", fmt.Sprintf("CPU %s, GPU %s, RAM %s (medians %s, %s, %s)",
			dash(p.CPUPct, "%.0f %%"), dash(p.GPUPct, "%.0f %%"), dash(ram, "%.1f GB"),
			dash(p.CPUMedianPct, "%.0f %%"), dash(p.GPUMedianPct, "%.0f %%"), dash(median, "%.1f GB"))},
		{"CPU clock", c.CPU.String()},
		{"GPU clock", c.GPU.String()},
		{"memory clock", c.EMC.String()},
		{"disk", disk},
		{"page cache", cache},
		{"software", orDash(strings.Join(c.Versions, ", "))},
		{"uptime", orDash(uptime)},
	}
}

func baseText(c record.Character) string {
	if !c.BaseW.OK {
		return because("–", c.BaseWhy)
	}
	base := fmt.Sprintf("%.2f W", c.BaseW.V)
	if share := percent(c.BaseShare()); share.OK {
		base += fmt.Sprintf(", %.0f %% of the energy", share.V)
	}
	return base
}

// because appends a reason if there is one.
func because(line string, why string) string {
	if why == "" {
		return line
	}
	return fmt.Sprintf("%s (%s)", line, why)
}

func epochText(c record.Character) string {
	s := c.EpochS(c.Steady())
	if !s.OK {
		return "–"
	}
	return fmt.Sprintf("%s at this pace, %s minibatches", units.SpanOf(s.V), text.Thousands(c.PerEpoch))
}

func partText(p record.Part) string {
	return fmt.Sprintf("mean %s, stall %s, compute %s, %s, %s per minibatch", msText(tegra.Some(p.TimeMS)),
		msText(p.StallMS), msText(p.ComputeMS), dash(p.PowerW, "%.2f W"), dash(p.EnergyJ, "%.3f J"))
}

// diskText formats the disk reads, with epoch 0 separate: it reads what later epochs find in memory.
func diskText(c record.Character) string {
	rates := func(p record.Part) string {
		return fmt.Sprintf("%.0f reads/s, %.1f MB/s", p.ReadsPerS.V, p.ReadBytesPerS.Or(0)/1e6)
	}
	switch {
	case c.Disk == "" || !c.All.ReadsPerS.OK:
		return "–"
	case c.First.V.ReadsPerS.OK && c.Later.V.ReadsPerS.OK:
		return fmt.Sprintf("%s: epoch 0 %s; later epochs %s", c.Disk, rates(c.First.V), rates(c.Later.V))
	}
	return c.Disk + ": " + rates(c.All)
}

func cacheText(c record.Character) string {
	if !c.CacheBefore.OK && !c.CacheAfter.OK {
		return because("–", c.CacheWhy)
	}
	ready := ""
	if c.CacheReady.OK {
		ready = fmt.Sprintf("%.0f %% before the first minibatch that counts, ", 100*c.CacheReady.V)
	}
	return fmt.Sprintf("%s of the dataset before, %s%s after",
		dash(percent(c.CacheBefore), "%.0f %%"), ready, dash(percent(c.CacheAfter), "%.0f %%"))
}
