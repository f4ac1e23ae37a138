package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/tegra"
)

// tuneDialog asks three things, each with a default that enter takes: which
// workload, which limit, how much effort. On a virtual board a fourth answer
// says how fast its clock runs; it need not be visited.
type tuneDialog struct {
	form
	sh     *shared
	choice [4]int // option of each field
	powerW float64
	timeMS float64
	typed  string // digits typed into the limit
}

const (
	fieldWorkload = iota
	fieldLimit
	fieldEffort
	fieldSpeed
)

// Kinds of limits, as the dialog orders them.
const (
	limitPower = iota
	limitTime
	limitEnergy
)

func newTuneDialog(sh *shared) *tuneDialog {
	d := &tuneDialog{sh: sh, powerW: defaultPowerW(sh.presets), timeMS: 100}
	for i, w := range sh.workloads {
		if w.Name == sh.workload || slices.Contains(w.Aliases, sh.workload) {
			d.choice[fieldWorkload] = i
		}
	}
	names := []string{"workload", "limit", "effort", "clock"}
	if sh.rate == nil {
		names = names[:fieldSpeed]
	}
	d.form = form{title: "Tune: find the best power mode", verb: "start", width: 72, note: d.note, walk: fieldEffort}
	for i, name := range names {
		d.fields = append(d.fields, field{name: name, text: func() string { return d.text(i) }, turn: func(by int) {
			d.settle()
			around(&d.choice[i], by, d.options(i))
		}})
	}
	d.fields[fieldLimit].typed, d.fields[fieldLimit].steps = d.edit, true
	return d
}

var presetWatts = regexp.MustCompile(`(\d+)\s*W`)

// defaultPowerW is the middle one of the watts that the presets' names tell,
// else 30.
func defaultPowerW(presets []tegra.Preset) float64 {
	var watts []float64
	for _, p := range presets {
		if m := presetWatts.FindStringSubmatch(strings.ToUpper(p.Name)); m != nil {
			if w, err := strconv.ParseFloat(m[1], 64); err == nil && w > 0 {
				watts = append(watts, w)
			}
		}
	}
	if len(watts) == 0 {
		return 30
	}
	slices.Sort(watts)
	return watts[len(watts)/2]
}

func (d *tuneDialog) options(field int) int {
	switch field {
	case fieldWorkload:
		return len(d.sh.workloads)
	case fieldLimit:
		return 3
	}
	return 2
}

func (d *tuneDialog) text(field int) string {
	c := d.choice[field]
	switch field {
	case fieldWorkload:
		if c < len(d.sh.workloads) {
			w := d.sh.workloads[c]
			return fmt.Sprintf("%s  (%s, %s)", w.Name, w.Model, w.Dataset)
		}
		return "none known"
	case fieldLimit:
		return [...]string{
			fmt.Sprintf("fastest within %s W", d.value(d.powerW)),
			fmt.Sprintf("least power within %s ms/minibatch", d.value(d.timeMS)),
			"least energy per minibatch"}[c]
	case fieldEffort:
		return [...]string{fmt.Sprintf("quick: at most %d measurements, for this limit", optimize.DefaultProbes), fmt.Sprintf("front: about %d modes, for any limit", frontModes)}[c]
	}
	return [...]string{"max: seconds instead of minutes", "as it is: " + speedText(d.sh.rate.Speed())}[c]
}

func (d *tuneDialog) value(v float64) string {
	if d.typed != "" {
		return d.typed + "_"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// number is the value that the present kind of limit holds; nil for energy.
func (d *tuneDialog) number() *float64 {
	switch d.choice[fieldLimit] {
	case limitPower:
		return &d.powerW
	case limitTime:
		return &d.timeMS
	}
	return nil
}

// settle turns what was typed into the limit's value.
func (d *tuneDialog) settle() {
	if v, err := strconv.ParseFloat(d.typed, 64); err == nil && v > 0 && d.number() != nil {
		*d.number() = v
	}
	d.typed = ""
}

func (d *tuneDialog) limit() optimize.Limit {
	switch d.choice[fieldLimit] {
	case limitPower:
		return optimize.Limit{PowerW: d.powerW}
	case limitTime:
		return optimize.Limit{TimeMS: d.timeMS}
	}
	return optimize.Limit{Energy: true}
}

// key takes a key; closed says that the dialog goes, start that tuning begins.
func (d *tuneDialog) key(k tea.KeyPressMsg) (closed, start bool) {
	if key.Matches(k, keys.Enter, keys.StartNow, keys.FieldNext, keys.FieldPrev) {
		d.settle()
	}
	return d.form.key(k)
}

// edit takes digits for the limit's value, and the keys that step it.
func (d *tuneDialog) edit(k string) {
	v := d.number()
	switch {
	case v == nil:
	case slices.Contains(keys.Lower.Keys(), k):
		d.settle()
		*v = max(1, *v-1)
	case slices.Contains(keys.Higher.Keys(), k):
		d.settle()
		*v++
	case k == "backspace" && d.typed != "":
		d.typed = d.typed[:len(d.typed)-1]
	case len(k) == 1 && strings.Contains("0123456789.", k) && len(d.typed) < 6:
		d.typed += k
	}
}

func (d *tuneDialog) note(w int) []string {
	out := []string{"measures a few modes, answers with the best one, measures that twice, puts the board back"}
	if d.choice[fieldEffort] == 1 {
		out[0] = "learns the whole front, answers with the best mode, measures it, puts the board back"
	}
	if w >= 56 {
		out = append(out, "type a number for the limit; "+keys.StartNow.Help().Key+" starts with what stands here")
	}
	return out
}
