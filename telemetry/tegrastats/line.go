// Package tegrastats parses lines of NVIDIA's tegrastats, of every release from L4T 28 to 39, from logs and pipes.
//
//	line of text ──► Parse ──► Line ──► JSON of `jtune lab convert`, tegra.Reading
//
// NVIDIA publishes no grammar; this one follows recordings. Fields may be missing (a user sees fewer than root) or
// repeat, and every release adds new ones: the parser skips unknown words one at a time.
package tegrastats

import (
	"strings"

	"jtune/tegra"
)

// Line is one line of tegrastats. A nil pointer is a field that is not in the line.
type Line struct {
	Timestamp *string `json:"timestamp"` // as printed: "04-19-2026 01:31:10"
	RAM       *RAM    `json:"ram"`
	Swap      *Swap   `json:"swap"`
	IRAM      *IRAM   `json:"iram"`
	CPU       []Core  `json:"cpu"` // one per present core
	EMC       *Clock  `json:"emc"`
	GPU       *GPU    `json:"gpu"`
	GPU2      *GPU    `json:"gpu2,omitempty"`
	// TempsC are the sensors that are on, in °C; TempsMaxC are their maxima so far, where printed.
	TempsC    map[string]float64 `json:"temps_c"`
	TempsOff  []string           `json:"temps_off"`
	TempsMaxC map[string]float64 `json:"temps_max_c"`
	Rails     []Rail             `json:"rails"` // in line order, NC kept
	// TotalPowerMW is computed from the rails by TotalPowerRule: a rail's name or "SUM:a,b,c".
	TotalPowerMW   *int              `json:"total_power_mw"`
	TotalPowerRule *string           `json:"total_power_rule"`
	Engines        map[string]Engine `json:"engines"` // without _FREQ
}

// RAM is the memory; LFB is the largest free block.
type RAM struct {
	UsedMB     int      `json:"used_mb"`
	TotalMB    int      `json:"total_mb"`
	LFBBlocks  *int     `json:"lfb_blocks"`
	LFBBlockMB *float64 `json:"lfb_block_mb"`
}

// Swap is the swap space.
type Swap struct {
	UsedMB   int  `json:"used_mb"`
	TotalMB  int  `json:"total_mb"`
	CachedMB *int `json:"cached_mb"`
}

// IRAM is the chip's own memory.
type IRAM struct {
	UsedKB  int  `json:"used_kb"`
	TotalKB int  `json:"total_kb"`
	LFBKB   *int `json:"lfb_kb"`
}

// Core is one CPU core.
type Core struct {
	Online  bool `json:"online"`
	LoadPct *int `json:"load_pct"`
	FreqMHz *int `json:"freq_mhz"`
}

// Clock is a load with its clock.
type Clock struct {
	LoadPct *int `json:"load_pct"`
	FreqMHz *int `json:"freq_mhz"`
}

// GPU has one clock per cluster (GPC) of the GPU.
type GPU struct {
	LoadPct *int  `json:"load_pct"`
	FreqMHz []int `json:"freq_mhz"`
}

// Rail is the power of one rail in milliwatts: now, and the running average and maximum since tegrastats started.
type Rail struct {
	Name  string `json:"name"`
	CurMW int    `json:"cur_mw"`
	AvgMW *int   `json:"avg_mw"`
	MaxMW *int   `json:"max_mw"`
}

// Engine is a video, vision or audio unit.
type Engine struct {
	On      bool `json:"on"`
	LoadPct *int `json:"load_pct"`
	FreqMHz *int `json:"freq_mhz"`
}

// total computes the module's power by the rule for its rails.
func (l *Line) total() {
	var names []string
	for _, r := range l.Rails {
		names = append(names, r.Name)
	}
	rule := tegra.TotalRuleOf(names)
	if rule == "" {
		return
	}
	sum := 0
	for _, part := range strings.Split(strings.TrimPrefix(rule, "SUM:"), ",") {
		for _, r := range l.Rails {
			if r.Name == part {
				sum += r.CurMW
				break
			}
		}
	}
	l.TotalPowerMW, l.TotalPowerRule = &sum, &rule
}
