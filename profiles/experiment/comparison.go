package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/text"
)

// rounded rounds a time in ms to the microsecond.
func rounded(ms float64) float64 { return math.Round(1000*ms) / 1000 }

// negligible is the share of a minibatch below which a part of it is ignored.
const negligible = 0.01

// change formats the change of a number: "-35 %", "+2 %", "the same".
func change(from, to float64) string {
	if from == 0 {
		return "from nothing"
	}
	if pct := 100 * (to/from - 1); math.Abs(pct) >= 0.5 {
		return fmt.Sprintf("%+.0f %%", pct)
	}
	return "±0 %"
}

// moved describes the change of a stat between two settings; "" when one value is unknown, or when they do not differ
// beyond noise.
func (r *Report) moved(what, key string, from, to lineKey) string {
	a, b := r.stat(from, key), r.stat(to, key)
	if !a.OK || !b.OK || a.V == 0 && b.V == 0 {
		return ""
	}
	least := 0.0
	if key == "stall_ms" || key == "compute_ms" {
		least = negligible * r.stat(from, "time_ms").V
	}
	switch {
	case least > 0 && max(a.V, b.V) < least, !r.differs(key, from, to):
		return ""
	case min(a.V, b.V) < least: // a percentage of almost nothing means nothing
		return fmt.Sprintf("%s %s to %s ms", what, text.Of(rounded(a.V)), text.Of(rounded(b.V)))
	}
	return what + " " + change(a.V, b.V)
}

func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// compared describes in one clause how two settings differ; "" when one of them has no time.
func (r *Report) compared(from, to lineKey) string {
	if !r.stat(from, "time_ms").OK || !r.stat(to, "time_ms").OK {
		return ""
	}
	text := list(
		r.moved("time", "time_ms", from, to),
		r.moved("stall", "stall_ms", from, to),
		r.moved("compute", "compute_ms", from, to),
		r.moved("power", "power_w", from, to),
		r.moved("energy", "energy_j", from, to),
	)
	if text == "" {
		return fmt.Sprintf("no difference beyond noise (%s)", percent(r.margin("time_ms", from, to)))
	}
	return text
}

// pace returns the part of a setting's lines that represents long training.
func (r *Report) pace(setting string) lineKey {
	for _, name := range []string{later, ""} {
		if at := (lineKey{setting, name}); r.stat(at, "time_ms").OK {
			return at
		}
	}
	return lineKey{setting, epoch0}
}

// settings lists the settings that have lines, in order.
func (r *Report) settings() (out []string) {
	for _, l := range r.Lines {
		if !slices.Contains(out, l.Setting) {
			out = append(out, l.Setting)
		}
	}
	return out
}

// extreme returns the setting with the smallest value of a number (the largest with sign -1); "" when none has a value.
func (r *Report) extreme(key string, sign float64) (best string, value float64) {
	for _, s := range r.settings() {
		if v := r.stat(r.pace(s), key); v.OK && (best == "" || sign*v.V < sign*value) {
			best, value = s, v.V
		}
	}
	return best, value
}
