package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// tuneDialog asks three things, each with a default that enter takes: which
// workload, which limit, how much effort. Two more need not be visited: which
// minibatch sizes to choose among and, on a virtual board, how fast its clock
// runs.
type tuneDialog struct {
	form
	sh     *shared
	choice [5]int // option of each field
	powerW float64
	timeMS float64
	typed  string // digits typed into the limit
	listed string // digits and commas typed as sizes; "" for the option's
}

const (
	fieldWorkload = iota
	fieldLimit
	fieldEffort
	fieldBatch
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
	names := []string{"workload", "limit", "effort", "batch", "clock"}
	if sh.rate == nil {
		names = names[:fieldSpeed]
	}
	d.form = form{title: "Tune: find the best power mode", verb: "start", width: 72, note: d.note, walk: fieldEffort}
	for i, name := range names {
		d.fields = append(d.fields, field{name: name, text: func() string { return d.text(i) }, turn: func(by int) {
			d.settle()
			if i == fieldWorkload || i == fieldBatch {
				d.listed = ""
			}
			if around(&d.choice[i], by, d.options(i)); i == fieldWorkload {
				d.choice[fieldBatch] = 0
			}
			if d.batches() != nil {
				d.choice[fieldEffort] = 0
			}
		}})
	}
	d.fields[fieldBatch].typed = d.list
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
	case fieldEffort:
		if d.batches() != nil {
			return 1
		}
	case fieldBatch:
		return len(d.sizes())
	}
	return 2
}

// sizes are the lists of minibatch sizes to choose from: the workload's own
// alone, and lists around it; those that were asked for on the command line, or
// that a replay has, come first.
func (d *tuneDialog) sizes() [][]int {
	var out [][]int
	if d.sh.sizes != nil {
		out = append(out, d.sh.sizes)
	}
	own := 0
	if c := d.choice[fieldWorkload]; c < len(d.sh.workloads) {
		own = d.sh.workloads[c].Batch
	}
	switch {
	case d.sh.board.Replay != "" && out != nil: // it has no others
		return out
	case d.sh.board.Replay != "" || own == 0 || d.dictated() != "":
		return [][]int{{own}}
	}
	out = append(out, []int{own})
	for _, octaves := range []int{1, 2} {
		var list []int
		for b := max(1, own>>octaves); b <= min(own<<octaves, learn.MostBatch); b *= 2 {
			list = append(list, b)
		}
		out = append(out, list)
	}
	return out
}

// dictated says why the workload's minibatch size cannot be chosen, or "".
func (d *tuneDialog) dictated() string {
	if c := d.choice[fieldWorkload]; d.sh.takesSizes != nil && c < len(d.sh.workloads) {
		return d.sh.takesSizes(d.sh.workloads[c])
	}
	return ""
}

// batches are the sizes to choose among; nil for the workload's own.
func (d *tuneDialog) batches() []int {
	list := d.sizes()[d.choice[fieldBatch]]
	if d.listed != "" {
		list = nil
		for _, word := range strings.Split(d.listed, ",") {
			b, err := strconv.Atoi(word)
			if err == nil && b > 0 && b <= learn.MostBatch && (d.sh.board.Replay == "" || slices.Contains(d.sh.sizes, b)) {
				list = append(list, b)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// list takes digits and commas for the sizes.
func (d *tuneDialog) list(k string) {
	if all := d.sizes(); len(all) == 1 && len(all[0]) == 1 { // there is nothing to choose
		return
	}
	switch {
	case k == "backspace" && d.listed != "":
		d.listed = d.listed[:len(d.listed)-1]
	case len(k) == 1 && strings.Contains("0123456789,", k) && len(d.listed) < 30:
		d.listed += k
	}
	if d.batches() != nil {
		d.choice[fieldEffort] = 0
	}
}

// batchText says which sizes are chosen among.
func (d *tuneDialog) batchText() string {
	several := d.batches()
	switch {
	case d.listed != "" && several == nil:
		return d.listed + "_  two sizes at least, with commas"
	case d.listed != "":
		return d.listed + "_"
	case several != nil:
		return "choose among " + strings.Trim(fmt.Sprint(several), "[]")
	}
	own := d.sizes()[d.choice[fieldBatch]][0]
	switch why := d.dictated(); {
	case own == 0 || d.sh.board.Replay != "":
		return "as measured"
	case why != "":
		return fmt.Sprintf("%d samples: %s", own, why)
	}
	return fmt.Sprintf("%d samples, its own", own)
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
			fmt.Sprintf("fastest within %s W", d.value(d.powerW)) + d.perSample(", per sample", ""),
			fmt.Sprintf("least power within %s ms/minibatch", d.value(d.timeMS)),
			"least energy per " + d.perSample("sample", "minibatch")}[c]
	case fieldBatch:
		return d.batchText()
	case fieldEffort:
		return [...]string{fmt.Sprintf("quick: at most %d measurements, for this limit", optimize.DefaultProbes), fmt.Sprintf("front: about %d modes, for any limit", frontModes)}[c]
	}
	return [...]string{"max: seconds instead of minutes", "as it is: " + speedText(d.sh.rate.Speed())}[c]
}

// perSample is the first text where several minibatch sizes are chosen among,
// which compare by the sample.
func (d *tuneDialog) perSample(sized, one string) string {
	if d.batches() != nil {
		return sized
	}
	return one
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
	switch {
	case d.at == fieldBatch && d.dictated() == "":
		out[0] = "other sizes start the job anew, and may take more memory or train differently"
		if w >= 56 {
			out = append(out, "type sizes with commas, such as 8,16,32; "+keys.StartNow.Help().Key+" starts with what stands here")
		}
	case w >= 56:
		out = append(out, "type a number for the limit; "+keys.StartNow.Help().Key+" starts with what stands here")
	}
	return out
}
