package cli

import (
	"fmt"
	"strings"
	"time"

	"jtune/profiles"
	"jtune/tegra"
	"jtune/tegra/figures"
	"jtune/telemetry"
)

// characterJSON is a profiles.Character, beside whatever else a document
// tells of a run. Absent values are null; means are per minibatch.
type characterJSON struct {
	Bound          *string         `json:"bound"`
	Workers        int             `json:"workers"`
	Batch          int             `json:"batch"`
	EpochS         number          `json:"epoch_s"`
	All            *partJSON       `json:"all"`
	FirstEpoch     *partJSON       `json:"first_epoch"`
	LaterEpochs    *partJSON       `json:"later_epochs"`
	BaseW          number          `json:"base_w"`
	BaseWhy        *string         `json:"base_why"`
	BaseSharePct   number          `json:"base_share_pct"`
	CPUResidency   []residencyJSON `json:"cpu_residency"`
	GPUResidency   []residencyJSON `json:"gpu_residency"`
	MemResidency   []residencyJSON `json:"mem_residency"`
	CacheBeforePct number          `json:"cache_before_pct"`
	CacheAfterPct  number          `json:"cache_after_pct"`
	CacheWhy       *string         `json:"cache_why"`
	Disk           *string         `json:"disk"`
	UptimeS        number          `json:"uptime_s"`
	Versions       []string        `json:"versions"`
	Advice         []string        `json:"advice"`
	Latency        *latencyJSON    `json:"latency_ms"` // of an inference job; else null
}

// latencyJSON is a profiles.Latency in ms.
type latencyJSON struct {
	P50 number `json:"p50"`
	P95 number `json:"p95"`
	P99 number `json:"p99"`
}

func toLatencyJSON(l tegra.Val[profiles.Latency]) *latencyJSON {
	if !l.OK {
		return nil
	}
	return &latencyJSON{number(l.V.P50), number(l.V.P95), number(l.V.P99)}
}

// partJSON is a stretch of a run.
type partJSON struct {
	Epochs        int    `json:"epochs"`
	Minibatches   int    `json:"minibatches"`
	SpanS         number `json:"span_s"`
	TimeMS        number `json:"time_ms"`
	StallMS       number `json:"stall_ms"`
	ComputeMS     number `json:"compute_ms"`
	OverheadMS    number `json:"overhead_ms"`
	PowerW        number `json:"power_w"`
	EnergyJ       number `json:"energy_j"`
	CPUPct        number `json:"cpu_pct"`
	GPUPct        number `json:"gpu_pct"`
	RAMBytes      number `json:"ram_bytes"`
	ReadsPerS     number `json:"reads_per_s"`
	ReadBytesPerS number `json:"read_bytes_per_s"`
}

// residencyJSON is the share of time at a clock, and who counted.
type residencyJSON struct {
	Hz       int64  `json:"hz"`
	SharePct number `json:"share_pct"`
	Source   string `json:"source"`
}

func toCharacterJSON(c profiles.Character) characterJSON {
	steady := c.Steady()
	return characterJSON{Bound: optionalText(string(c.Bound())), Workers: c.Workers, Batch: c.Batch, EpochS: optionalNumber(c.EpochS(steady)),
		All: toPartJSON(tegra.Some(c.All)), FirstEpoch: toPartJSON(c.First), LaterEpochs: toPartJSON(c.Later),
		BaseW: optionalNumber(c.BaseW), BaseWhy: optionalText(c.BaseWhy), BaseSharePct: percent(c.BaseShare()),
		CPUResidency: toClocksJSON(c.CPU), GPUResidency: toClocksJSON(c.GPU), MemResidency: toClocksJSON(c.EMC),
		CacheBeforePct: percent(c.CacheBefore), CacheAfterPct: percent(c.CacheAfter), CacheWhy: optionalText(c.CacheWhy), Disk: optionalText(c.Disk),
		UptimeS: optionalNumber(uptimeS(c)), Versions: append([]string{}, c.Versions...), Advice: append([]string{}, c.Advice()...), Latency: toLatencyJSON(c.Latency)}
}

func uptimeS(c profiles.Character) tegra.Val[float64] {
	if !c.Uptime.OK {
		return tegra.Val[float64]{}
	}
	return tegra.Some(c.Uptime.V.Seconds())
}

// percent prints a share as per cent.
func percent(v tegra.Val[float64]) number {
	if !v.OK {
		return notKnown
	}
	return number(100 * v.V)
}

func toPartJSON(p tegra.Val[profiles.Part]) *partJSON {
	if !p.OK || p.V.Minibatches == 0 {
		return nil
	}
	v := p.V
	return &partJSON{v.Epochs, v.Minibatches, number(v.Span.Seconds()), number(v.TimeMS), optionalNumber(v.StallMS), optionalNumber(v.ComputeMS), optionalNumber(v.OverheadMS),
		optionalNumber(v.PowerW), optionalNumber(v.EnergyJ), optionalNumber(v.CPUPct), optionalNumber(v.GPUPct), optionalNumber(v.RAMBytes),
		optionalNumber(v.ReadsPerS), optionalNumber(v.ReadBytesPerS)}
}

func toClocksJSON(r telemetry.Residency) []residencyJSON {
	var out []residencyJSON
	for _, s := range r.Shares {
		out = append(out, residencyJSON{int64(s.Freq), number(100 * s.Share), r.Source})
	}
	return out
}

// characterRows tells a run's character in lines of a table.
func characterRows(c profiles.Character) [][]string {
	p := c.Steady()
	rows := [][]string{{"epoch", epochText(c)}}
	if l := c.Latency; l.OK {
		rows = append(rows, []string{"latency", fmt.Sprintf("p50 %.3g ms, p95 %.3g ms, p99 %.3g ms", l.V.P50, l.V.P95, l.V.P99)})
	}
	if c.First.OK && c.Later.OK {
		rows = append(rows, []string{"epoch 0", partText(c.First.V)}, []string{"later epochs", partText(c.Later.V)})
	}
	base := "–"
	if c.BaseWhy != "" {
		base += " (" + c.BaseWhy + ")"
	}
	if c.BaseW.OK {
		base = fmt.Sprintf("%.2f W", c.BaseW.V)
		if share := c.BaseShare(); share.OK {
			base += fmt.Sprintf(", %.0f %% of the energy", 100*share.V)
		}
	}
	return append(rows, []string{"base load", base},
		[]string{"busy", fmt.Sprintf("CPU %s, GPU %s, RAM %s", dash(p.CPUPct, "%.0f %%"), dash(p.GPUPct, "%.0f %%"), gigabytes(p.RAMBytes))},
		[]string{"CPU clock", clockText(c.CPU)}, []string{"GPU clock", clockText(c.GPU)}, []string{"memory clock", clockText(c.EMC)},
		[]string{"disk", diskText(c.Disk, p)}, []string{"page cache", cacheText(c)},
		[]string{"software", orDash(strings.Join(c.Versions, ", "))}, []string{"uptime", uptimeText(c.Uptime)})
}

func epochText(c profiles.Character) string {
	s := c.EpochS(c.Steady())
	if !s.OK {
		return "–"
	}
	return fmt.Sprintf("%s at this pace, %s minibatches", time.Duration(s.V*float64(time.Second)).Round(100*time.Millisecond), figures.Thousands(c.PerEpoch))
}

func partText(p profiles.Part) string {
	return fmt.Sprintf("%.4g ms, stall %s, compute %s, %s per minibatch", number(p.TimeMS), dash(p.StallMS, "%.3g"), dash(p.ComputeMS, "%.3g"), dash(p.EnergyJ, "%.3f J"))
}

func gigabytes(v tegra.Val[float64]) string {
	if !v.OK {
		return "–"
	}
	return fmt.Sprintf("%.1f GB", v.V/1e9)
}

// clockText tells the clocks that took most of the time, and who counted.
func clockText(r telemetry.Residency) string {
	if !r.OK() {
		return "–"
	}
	var parts []string
	rest := 1.0
	for _, s := range r.Shares {
		if s.Share >= 0.01 && len(parts) < 4 {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", s.Freq, 100*s.Share))
			rest -= s.Share
		}
	}
	if rest > 0.005 {
		parts = append(parts, fmt.Sprintf("others %.0f %%", 100*rest))
	}
	return strings.Join(parts, ", ") + " (by " + map[string]string{telemetry.KernelCounted: "the kernel", telemetry.SampleCounted: "samples"}[r.Source] + ")"
}

func diskText(name string, p profiles.Part) string {
	if name == "" || !p.ReadsPerS.OK {
		return "–"
	}
	return fmt.Sprintf("%s: %.0f reads/s, %.1f MB/s", name, p.ReadsPerS.V, p.ReadBytesPerS.Or(0)/1e6)
}

func cacheText(c profiles.Character) string {
	if !c.CacheBefore.OK && !c.CacheAfter.OK {
		if c.CacheWhy != "" {
			return "– (" + c.CacheWhy + ")"
		}
		return "–"
	}
	share := func(v tegra.Val[float64]) string {
		if !v.OK {
			return "–"
		}
		return fmt.Sprintf("%.0f %%", 100*v.V)
	}
	return fmt.Sprintf("%s of the dataset before, %s after", share(c.CacheBefore), share(c.CacheAfter))
}

func uptimeText(v tegra.Val[time.Duration]) string {
	if !v.OK {
		return "–"
	}
	return v.V.Round(time.Second).String()
}
