package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tui/session"
)

// fitDialog asks how to learn again from a model's own modes: by which method,
// and leaning on which other workload of the same device.
type fitDialog struct {
	form
	from    session.ModelInfo
	methods []learn.Method
	leanOn  []session.ModelInfo // models of other workloads on this device
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
	d.form = form{title: "Fit again, or transfer from another workload", verb: "fit", width: 64, note: d.note, fields: []field{
		{name: "method", text: func() string { return string(d.methods[d.method]) }, turn: func(by int) { around(&d.method, by, len(d.methods)) }},
		{name: "lean on", text: d.leanText, turn: func(by int) { around(&d.lean, by, len(d.leanOn)+1) }},
	}}
	return d
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

// fit learns again and keeps the result beside the model, unless ctx ends first.
func (d *fitDialog) fit(ctx context.Context, h host) func() tea.Msg {
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
		m, err := learn.Fit(ctx, old.Samples, o)
		if err == nil {
			_, err = h.SaveModel(name, m)
		}
		return refitMsg{name, err}
	}
}

// methodNotes say what each method is, for who has not read of it.
var methodNotes = map[learn.Method]string{
	learn.GP:         "the default: physics of the board with a Gaussian process for what it misses; good from ten modes on, with honest bands",
	learn.Linear:     "a straight line through the knobs: for comparison, seldom good",
	learn.Tree:       "one decision tree: for comparison",
	learn.Forest:     "a random forest: for comparison; wants fifty modes or more",
	learn.PowerTrain: "the published networks, transferred from another workload: takes a while, wants fifty modes",
	learn.NN:         "the same networks from these modes alone: takes a while, wants hundreds of modes",
}

func (d *fitDialog) note(int) []string {
	lines := []string{string(d.methods[d.method]) + ": " + methodNotes[d.methods[d.method]] + ".", fmt.Sprintf("Learns again from the %d measured modes of %s, measures nothing, keeps the result as %s.", len(d.from.Model.Samples), d.from.Name, d.name())}
	if d.lean > 0 && d.methods[d.method] == learn.GP {
		if other := d.leanOn[d.lean-1]; len(other.Model.Samples) < learn.LeastReference {
			lines = append(lines, fmt.Sprintf("%s knows %d modes: it teaches nothing yet, %d are the least.", other.Name, len(other.Model.Samples), learn.LeastReference))
		}
	}
	return lines
}
