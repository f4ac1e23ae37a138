package cli

import (
	"fmt"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/profiles/record/remarks"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/measure"
)

// runJSON is the document of `jtune run --json`: the run, then its character, whose means are per minibatch, with its
// conclusions, and for inference what it served.
type runJSON struct {
	TimeMS      tegra.Val[float64] `json:"time_ms"`
	MedianMS    tegra.Val[float64] `json:"time_median_ms"`
	MeanMS      tegra.Val[float64] `json:"time_mean_ms"` // an older name of time_ms
	TimeError   tegra.Val[float64] `json:"time_error_pct"`
	PowerError  tegra.Val[float64] `json:"power_error_pct"`
	EnergyError tegra.Val[float64] `json:"energy_error_pct"`
	measure.RunResult
	PerS      tegra.Val[float64] `json:"minibatches_per_s"` // from the mean time
	Epochs    string             `json:"epochs"`            // epochs that the numbers above cover: all, later
	EpochZero bool               `json:"epoch_zero_included"`
	Steady    bool               `json:"steady"` // power was steady
	HotReason text.Optional      `json:"hot_reason"`
	Device    string             `json:"device"`
	Virtual   bool               `json:"virtual"` // power, possibly also the times, is simulated or replayed
	record.Character
	Bound          text.Optional      `json:"bound"`
	EpochS         tegra.Val[float64] `json:"epoch_s"`
	BaseWhy        text.Optional      `json:"base_why"`
	BaseSharePct   tegra.Val[float64] `json:"base_share_pct"`
	CacheBeforePct tegra.Val[float64] `json:"cache_before_pct"`
	CacheReadyPct  tegra.Val[float64] `json:"cache_ready_pct"`
	CacheAfterPct  tegra.Val[float64] `json:"cache_after_pct"`
	CacheWhy       text.Optional      `json:"cache_why"`
	Disk           text.Optional      `json:"disk"`
	UptimeS        tegra.Val[float64] `json:"uptime_s"`
	Versions       []string           `json:"versions"`
	Advice         []string           `json:"advice"`
	Peak           peakJSON           `json:"peak"`
	Least          leastJSON          `json:"least"`
	Reading        any                `json:"reading"` // how a command was read, or the cost of reading the sensors
	*ownJSON
}

// peakJSON is the maximum load on the supply during a run: power, and the current of the supply rail.
type peakJSON struct {
	PowerW tegra.Val[float64] `json:"power_w"`
	A      tegra.Val[float64] `json:"current_a"`
	Rail   text.Optional      `json:"rail"`
}

// leastJSON is the minimum voltage of that rail.
type leastJSON struct {
	V    tegra.Val[float64] `json:"voltage_v"`
	Rail text.Optional      `json:"rail"`
}

func toPeakJSON(p telemetry.Peaks, b tegra.Board) (peak peakJSON, least leastJSON) {
	peak.PowerW = p.PowerW
	if r := p.Supply(b); r != nil {
		peak.A, peak.Rail = r.Amperes, text.Optional(r.Name)
		least = leastJSON{r.LeastV, text.Optional(r.Name)}
	}
	return peak, least
}

// peaksText describes the peaks in words; "" if nothing is known.
func peaksText(p telemetry.Peaks, b tegra.Board) string {
	var parts []string
	if p.PowerW.OK {
		parts = append(parts, fmt.Sprintf("%.2f W", p.PowerW.V))
	}
	if r := p.Supply(b); r != nil {
		parts = append(parts, fmt.Sprintf("%.2f A of %s, which fell to %s", r.Amperes.V, r.Name,
			dash(r.LeastV, "%.3f V")))
	}
	return strings.Join(parts, "; ")
}

func toRunJSON(r measure.RunResult, b tegra.Board) runJSON {
	c, epochs := r.Character, "all"
	if c.SteadyIsLater() {
		epochs = "later"
	}
	peak, least := toPeakJSON(r.Peaks, b)
	var reading any
	if v := toReadingJSON(r); v != nil {
		reading = v
	}
	if r.ReadCost != nil {
		reading = r.ReadCost
	}
	energyError := r.Error.Energy()
	if w := r.Whole; w != nil && r.Reading == nil {
		r.EnergyJ, r.PowerW, r.Error, energyError = w.EnergyJ, w.MeanW, tegra.Errors{Power: w.Error}, w.Error
	}
	return runJSON{
		TimeMS:         tegra.Val[float64]{V: r.TimeMS, OK: r.TimeMS > 0},
		MedianMS:       tegra.Val[float64]{V: r.MedianMS, OK: r.MedianMS > 0},
		MeanMS:         tegra.Val[float64]{V: r.TimeMS, OK: r.TimeMS > 0},
		TimeError:      percent(r.Error.Time),
		PowerError:     percent(r.Error.Power),
		EnergyError:    percent(energyError),
		Peak:           peak,
		Least:          least,
		Reading:        reading,
		ownJSON:        toOwnJSON(r),
		RunResult:      r,
		PerS:           tegra.Val[float64]{V: 1000 / r.TimeMS, OK: r.TimeMS > 0},
		Epochs:         epochs,
		EpochZero:      c.First.OK && !c.SteadyIsLater(),
		Steady:         r.Settled == telemetry.Settled,
		HotReason:      text.Optional(r.Hot),
		Device:         b.Name,
		Virtual:        b.Virtual,
		Character:      c,
		Bound:          text.Optional(remarks.BoundOf(&c)),
		EpochS:         c.EpochS(c.Steady()),
		BaseWhy:        text.Optional(c.BaseWhy),
		BaseSharePct:   percent(c.BaseShare()),
		CacheBeforePct: percent(c.CacheBefore),
		CacheReadyPct:  percent(c.CacheReady),
		CacheAfterPct:  percent(c.CacheAfter),
		CacheWhy:       text.Optional(c.CacheWhy),
		Disk:           text.Optional(c.Disk),
		UptimeS:        tegra.Val[float64]{V: c.Uptime.V.Seconds(), OK: c.Uptime.OK},
		Versions:       listOf(c.Versions),
		Advice:         listOf(r.Advice),
	}
}

// percent converts a share to per cent.
func percent(v tegra.Val[float64]) tegra.Val[float64] {
	v.V *= 100
	return v
}

// characterRows returns the lines of a table about a run's character.
func characterRows(c record.Character) [][]string {
	p := c.Steady()
	rows := [][]string{{"epoch", epochText(c)}}
	if l := c.Latency; l.OK {
		latency := fmt.Sprintf("p50 %.3g ms, p95 %.3g ms, p99 %.3g ms", l.V.P50, l.V.P95, l.V.P99)
		rows = append(rows, []string{"latency", latency})
	}
	if c.First.OK && c.Later.OK {
		rows = append(rows, []string{"epoch 0", partText(c.First.V)}, []string{"later epochs", partText(c.Later.V)})
	}
	ram := p.RAMBytes
	ram.V /= 1e9
	median := p.RAMMedianBytes
	median.V /= 1e9
	busy := fmt.Sprintf("CPU %s, GPU %s, RAM %s (medians %s, %s, %s)",
		dash(p.CPUPct, "%.0f %%"), dash(p.GPUPct, "%.0f %%"), dash(ram, "%.1f GB"),
		dash(p.CPUMedianPct, "%.0f %%"), dash(p.GPUMedianPct, "%.0f %%"), dash(median, "%.1f GB"))
	uptime := c.Uptime
	uptime.V = uptime.V.Round(time.Second)
	return append(rows,
		[]string{"base load", baseText(c)},
		[]string{"busy", busy},
		[]string{"CPU clock", c.CPU.String()},
		[]string{"GPU clock", c.GPU.String()},
		[]string{"memory clock", c.EMC.String()},
		[]string{"disk", diskText(c)},
		[]string{"page cache", cacheText(c)},
		[]string{"software", orDash(strings.Join(c.Versions, ", "))},
		[]string{"uptime", dash(uptime, "%v")})
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
	epoch := time.Duration(s.V * float64(time.Second)).Round(100 * time.Millisecond)
	return fmt.Sprintf("%s at this pace, %s minibatches", epoch, text.Thousands(c.PerEpoch))
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
