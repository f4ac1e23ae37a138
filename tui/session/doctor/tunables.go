package doctor

import (
	"fmt"
	"strconv"
	"strings"

	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
)

// Tunable is something that can be set on this device, with its possible values.
type Tunable struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit"`   // of the values, or ""
	Values []string `json:"values"` // all values, ascending; two ends if Range
	Range  bool     `json:"range"`  // any integer between the two values
	Set    string   `json:"set"`    // where to set it
}

// Tunables lists all of them: the knobs of a power mode with the device's own values, the settings of clocks and fan,
// and the parameters of a training job.
func Tunables(s *session.Session) []Tunable {
	space := s.Device.Space()
	byMode := "the power mode: jtune apply, profile " + usage.Filter.String()
	clocks := func(k tegra.Knob, name string) Tunable {
		t := Tunable{Name: name, Unit: "MHz", Set: byMode}
		for _, v := range space.Values(k) {
			t.Values = append(t.Values, strconv.FormatFloat(tegra.Freq(v).MHz(), 'f', -1, 64))
		}
		return t
	}
	cores := Tunable{Name: "cores", Set: byMode}
	for _, n := range space.Cores {
		cores.Values = append(cores.Values, strconv.Itoa(n))
	}
	from := func(name string, least, most int, set string) Tunable {
		return Tunable{Name: name, Values: []string{strconv.Itoa(least), strconv.Itoa(most)}, Range: true, Set: set}
	}
	storage := Tunable{Name: "storage", Values: []string{"any folder"},
		Set: "[torch] data, experiment storage " + usage.Data.Value()}
	if s.Virtual != nil {
		storage.Values, storage.Set = s.Virtual.Media(), usage.Medium.String()+", experiment storage"
	}
	return []Tunable{
		cores, clocks(tegra.KnobCPU, "CPU clock"), clocks(tegra.KnobGPU, "GPU clock"),
		clocks(tegra.KnobEMC, "memory clock"),
		{Name: "DVFS", Values: []string{"off", "on"}, Set: fmt.Sprintf("apply %s, profile %[1]s", usage.DVFS)},
		{Name: "fan", Values: []string{"auto", "max"}, Set: "apply " + usage.Fan.String()},
		from("batch size", 1, learn.MostBatch, usage.Batch.String()+", or a workload's name such as resnet18/8"),
		from("workers", 0, workload.MostWorkers, fmt.Sprintf("[workload.NAME] workers; run %s: 64 at most",
			usage.Workers)),
		from("prefetch", 0, workload.MostPrefetch, "[workload.NAME] prefetch: minibatches ahead per worker"),
		storage,
	}
}

// Words lists the values in a line: all if there are few, otherwise the ends.
func (t *Tunable) Words() string {
	const few = 8
	n, unit := len(t.Values), ""
	if t.Unit != "" {
		unit = " " + t.Unit
	}
	switch {
	case n == 0:
		return "– (see jtune doctor)"
	case t.Range:
		return t.Values[0] + " to " + t.Values[1] + unit
	case n > few:
		return fmt.Sprintf("%d from %s to %s%s", n, t.Values[0], t.Values[n-1], unit)
	}
	return strings.Join(t.Values, ", ") + unit
}
