package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/tegra"
)

// rounded rounds a time in ms to the microsecond.
func rounded(ms float64) float64 { return math.Round(1000*ms) / 1000 }

// negligible is the share of a minibatch below which a part of it is ignored.
const negligible = 0.01

// changed formats the change of a number: "-35 %", "+2 %", "the same".
func changed(from, to float64) string {
	if from == 0 {
		return "from nothing"
	}
	if pct := 100 * (to/from - 1); math.Abs(pct) >= 0.5 {
		return fmt.Sprintf("%+.0f %%", pct)
	}
	return "±0 %"
}

func list(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Measured facts that show whether two settings differ in what was set: keys of Line.Stats, or of none.
const (
	gotWorkers = "got_workers"
	gotBatch   = "got_batch"
	readings   = "readings_per_s"
	diskReads  = "read_bytes_per_s"
	clocksFree = "clocks"
)

var treatments = map[string]string{gotWorkers: "the job's loader processes", gotBatch: "the job's batch sizes",
	readings: "the readings of power per second", diskReads: "the disk's MB/s", clocksFree: "the clocks"}

// treatment returns by how much a measured fact differs between two lines; for "" they differ by definition.
func (r *Report) treatment(key string, from, to lineKey) treatment {
	t := treatment{What: treatments[key], Share: tegra.Some(1.0)}
	keys := []string{key}
	switch key {
	case "":
		return t
	case clocksFree:
		keys = []string{"cpu_hz", "gpu_hz", "mem_hz"}
	}
	t.Share = tegra.Val[float64]{}
	for _, k := range keys {
		if a, b := r.stat(from, k), r.stat(to, k); a.OK && b.OK {
			t.Share = tegra.Some(max(t.Share.V, math.Abs(a.V-b.V)/max(a.V, b.V, 1e-9)))
		}
	}
	return t
}

// distinct returns how many values a measured fact has in the settings that ran.
func (r *Report) distinct(key string) int {
	seen := map[float64]bool{}
	for _, s := range r.settings() {
		if v := r.stat(r.pace(s), key); v.OK {
			seen[v.V] = true
		}
	}
	return len(seen)
}

// change returns a number of two lines. A part of the time must differ by more than the noise of the whole time.
func (r *Report) change(key string, from, to lineKey) change {
	c := change{From: r.stat(from, key), To: r.stat(to, key)}
	c.Noise = r.margin(key, from, to) * c.From.V
	if whole := r.stat(from, "time_ms").V; key == "stall_ms" || key == "compute_ms" {
		c.Least = negligible * whole
		c.Noise = max(alike*c.From.V, r.between(key, from, to)*whole)
	}
	if !c.known() { // infinity times nothing
		c.Noise = 0
	}
	return c
}

// compared describes in one clause how two settings differ that a treatment tells apart; "" when one has no time.
func (r *Report) compared(treated string, from, to lineKey) string {
	of := func(key string) change { return r.change(key, from, to) }
	return comparing.Say(comparison{r.treatment(treated, from, to), of("time_ms"), of("stall_ms"), of("compute_ms"),
		of("power_w"), of("energy_j")})
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
