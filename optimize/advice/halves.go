package advice

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"jtune/internal/conclusion"
	"jtune/internal/sorted"
	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/learn"
	"jtune/tegra"
)

// Half is the effect of halving one knob's setting with the other knobs unchanged.
type Half struct {
	Knob     tegra.Knob
	To       tegra.Mode // listed setting nearest to half
	TimePct  float64    // change of minibatch time: +24 means a quarter longer
	PowerPct float64    // NaN if power is unknown
	Measured bool       // both modes were measured, else at least one is predicted
	Beyond   bool       // To is outside the measured range
}

const (
	// mostCostPct is the largest cost in time at which halving counts as free, and leastSavedPct the least power it
	// must save; smaller changes are reading noise.
	mostCostPct   = 3.0
	leastSavedPct = 3.0
)

func (h Half) setting() string {
	if h.Knob == tegra.KnobCores {
		return text.Count(h.To.Cores, "core")
	}
	return fmt.Sprintf("%v %v", h.Knob, tegra.Freq(math.Round(h.To.Value(h.Knob)/1e6))*tegra.MHz)
}

// lowered is the effect of a lower setting of one knob.
type lowered struct {
	Knob, Setting    string
	TimePct          float64            `turn:"-5 10"`
	PowerPct         tegra.Val[float64] `turn:"-10 5"`
	Measured, Beyond bool
}

// how marks values that were not measured.
func (l lowered) how() string {
	switch {
	case l.Measured:
		return "measured"
	case l.Beyond:
		return "far from anything measured"
	}
	return "predicted"
}

// canGoDown says that a knob can be lowered: that costs no significant time and saves power.
var canGoDown = conclusion.New("advice: a clock or the cores can go down", 3, func(l lowered) string {
	if l.TimePct > mostCostPct || !l.PowerPct.OK || l.PowerPct.V > -leastSavedPct || l.Beyond {
		return ""
	}
	return fmt.Sprintf("%s can go down: %s cost %.1f %% of time and save %.0f %% of power (%s)", l.Knob, l.Setting,
		max(0, l.TimePct), -l.PowerPct.V, l.how())
})

func (h Half) lowered() lowered {
	return lowered{h.Knob.String(), h.setting(), h.TimePct, tegra.Finite(h.PowerPct), h.Measured, h.Beyond}
}

func (h Half) how() string { return h.lowered().how() }

func (h Half) String() string {
	out := fmt.Sprintf("%s %+.0f %% time", h.setting(), math.Round(h.TimePct)+0)
	if !math.IsNaN(h.PowerPct) {
		out += fmt.Sprintf(", %+.0f %% power", math.Round(h.PowerPct)+0)
	}
	return out
}

// halves returns the effect of halving each setting of a mode, the most costly first; knobs at their lowest setting are
// omitted. Measured values take precedence over predictions.
func halves(m *learn.Model, at tegra.Mode) []Half {
	known := readings(m)
	value := func(mode tegra.Mode) (p tegra.Measured, measured bool) {
		if p, measured = known[mode]; !measured {
			p = m.Predict([]tegra.Mode{mode})[0].Measured
		}
		return p, measured
	}
	here, read := value(at)
	var out []Half
	for k := range tegra.NumKnobs {
		to, ok := halved(m.Space, at, k)
		if !ok {
			continue
		}
		p, both := value(to)
		h := Half{
			Knob:     k,
			To:       to,
			TimePct:  100 * (p.TimeMS/here.TimeMS - 1),
			PowerPct: 100 * (p.PowerW/here.PowerW - 1),
			Measured: read && both,
			Beyond:   !both && learn.Extrapolates(m.Samples, to),
		}
		if stats.Positive(p.TimeMS, here.TimeMS) {
			out = append(out, h)
		}
	}
	sorted.Stable(out, func(a, b Half) int { return cmp.Compare(b.TimePct, a.TimePct) })
	return out
}

// halved returns a mode of the space with one setting at half, or the nearest listed value; false if the setting is the
// lowest.
func halved(space *tegra.Space, at tegra.Mode, k tegra.Knob) (tegra.Mode, bool) {
	v, best := at.Value(k), math.Inf(1)
	var to tegra.Mode
	for _, w := range space.Values(k) {
		turned := at.Values()
		turned[k] = int64(w)
		m := tegra.ModeOfValues(turned)
		if off := math.Abs(math.Log2(2 * w / v)); w < v && off < best && space.Contains(m) {
			to, best = m, off
		}
	}
	return to, !math.IsInf(best, 1)
}

// Knobs describes the effect of a mode's knobs on the workload, one sentence per line: what limits its time, and which
// knobs can be lowered for free.
func Knobs(m *learn.Model, at tegra.Mode) (lines []string) {
	halves := halves(m, at)
	if len(halves) == 0 {
		return nil
	}
	if lines = append(lines, costs(m, at, halves)); tooWrong(m) != "" {
		return lines
	}
	return append(lines, free(halves)...)
}

// Decides describes what limits the minibatch time in a mode: the cost of halving each setting, the most costly first.
// It is "" if no setting can be halved.
func Decides(m *learn.Model, at tegra.Mode) string {
	halves := halves(m, at)
	if len(halves) == 0 {
		return ""
	}
	return costs(m, at, halves)
}

func costs(m *learn.Model, at tegra.Mode, halves []Half) string {
	var parts []string
	how := halves[0].how()
	for _, h := range halves {
		if h.how() != how {
			how = ""
		}
	}
	for _, h := range halves {
		text := h.String()
		if how == "" {
			text += " (" + h.how() + ")"
		}
		parts = append(parts, text)
	}
	line := fmt.Sprintf("halving one setting of %s: %s", m.Space.Format(at), strings.Join(parts, "; "))
	if how != "" {
		line += " (" + how + ")"
	}
	return line
}

// free describes the cost of lowering each free knob.
func free(halves []Half) (lines []string) {
	for _, h := range halves {
		lines = append(lines, text.Said(canGoDown.Say(h.lowered()))...)
	}
	return lines
}
