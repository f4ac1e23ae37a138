package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tui/session"
)

// fitDialog asks how to learn again from a model's own modes: by which method,
// and leaning on which other workload of the same device.
type fitDialog struct {
	from    session.ModelInfo
	methods []learn.Method
	leanOn  []session.ModelInfo // models of other workloads on this device
	field   int
	method  int
	lean    int // 0: nothing; else one more than the index into leanOn
}

// fitMethods are offered in this order: networks take longest.
var fitMethods = []learn.Method{learn.GP, learn.Linear, learn.Tree, learn.Forest, learn.PowerTrain, learn.NN}

func newFitDialog(from session.ModelInfo, list []session.ModelInfo) *fitDialog {
	d := &fitDialog{from: from, methods: fitMethods}
	if at := slices.Index(d.methods, from.Model.Method); at >= 0 {
		d.method = (at + 1) % len(d.methods)
	}
	for _, other := range list {
		if other.Model != nil && other.Name != from.Name && workloadOf(other) != workloadOf(from) && other.Model.Provenance.Device == from.Model.Provenance.Device {
			d.leanOn = append(d.leanOn, other)
		}
	}
	return d
}

// key takes a key; closed says that the dialog goes, fit that fitting begins.
func (d *fitDialog) key(k tea.KeyPressMsg) (closed, fit bool) {
	switch {
	case key.Matches(k, keys.Back, keys.Quit):
		return true, false
	case key.Matches(k, keys.Enter):
		return true, true
	case key.Matches(k, keys.FieldNext), key.Matches(k, keys.FieldPrev):
		d.field = 1 - d.field
	case key.Matches(k, keys.OptionNext):
		d.turn(1)
	case key.Matches(k, keys.OptionPrev):
		d.turn(-1)
	}
	return false, false
}

func (d *fitDialog) turn(by int) {
	if d.field == 0 {
		d.method = (d.method + by + len(d.methods)) % len(d.methods)
		return
	}
	n := len(d.leanOn) + 1
	d.lean = (d.lean + by + n) % n
}

func (d *fitDialog) hints() []hint {
	return valid(named(keys.Enter, "fit"), keys.FieldNext, named(keys.OptionNext, "change"), keys.Back)
}

// transfers tells whether the method can lean on another workload.
func (d *fitDialog) transfers() bool {
	m := d.methods[d.method]
	return m == learn.GP || m == learn.PowerTrain
}

func (d *fitDialog) leanText() string {
	switch {
	case !d.transfers():
		return "nothing: " + string(d.methods[d.method]) + " learns from these modes alone"
	case d.lean > 0:
		return d.leanOn[d.lean-1].Name
	case d.methods[d.method] == learn.PowerTrain:
		return "the ResNet-18 networks inside jtune"
	case len(d.leanOn) == 0:
		return "nothing: no model of another workload here"
	}
	return "nothing"
}

// name is that of the model to come.
func (d *fitDialog) name() string {
	base, _, _ := strings.Cut(d.from.Name, "-by-")
	name := base + "-by-" + string(d.methods[d.method])
	if d.lean > 0 && d.transfers() {
		name += "-from-" + d.leanOn[d.lean-1].Name
	}
	return name
}

// fit learns again and keeps the result beside the model.
func (d *fitDialog) fit(h host) tea.Cmd {
	old, name := d.from.Model, d.name()
	o := learn.Options{Method: d.methods[d.method], Space: old.Space, Seed: old.Seed, Provenance: old.Provenance}
	path := ""
	if d.lean > 0 && d.transfers() {
		path = d.leanOn[d.lean-1].Path
	}
	return func() tea.Msg {
		var err error
		if path != "" {
			if o.Reference, err = learn.LoadReference(path); err != nil {
				return refitMsg{name, err}
			}
		}
		m, err := learn.Fit(context.Background(), old.Samples, o)
		if err == nil {
			_, err = h.SaveModel(name, m)
		}
		return refitMsg{name, err}
	}
}

// Render draws the dialog.
func (d *fitDialog) Render(w, h int) string {
	var lines []string
	for i, text := range []string{"method    ‹ " + string(d.methods[d.method]) + " ›", "lean on   ‹ " + d.leanText() + " ›"} {
		mark := " "
		if i == d.field {
			mark, text = "▸", styleCursor.Render(text)
		}
		lines = append(lines, mark+text)
	}
	width := min(w, 64)
	lines = append(lines, "", styleDim.Render(wrap(fmt.Sprintf("learns again from the %d measured modes of %s, measures nothing, keeps the result as %s", len(d.from.Model.Samples), d.from.Name, d.name()), width-4)))
	text := strings.Join(lines, "\n")
	return box("Fit again, or transfer from another workload", "", text, width, min(h, strings.Count(text, "\n")+3))
}
