package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/learn"
	"jtune/tui/page"
	"jtune/tui/session/fit"
	"jtune/tui/session/models"
	"jtune/tui/widget"
)

// fitDialog asks how to refit a model to its own modes: by which method, and transferred from which other workload of
// the same device.
type fitDialog struct {
	widget.Form
	from       models.Info
	methods    []learn.Method
	references []models.Info // models of other workloads on this device
	method     int
	reference  int // 0: none; otherwise an index into references plus one
}

// fitMethods lists the methods in the order of the dialog: networks take longest.
var fitMethods = []learn.Method{learn.GP, learn.Linear, learn.Tree, learn.Forest, learn.PowerTrain, learn.NN}

func newFitDialog(keys *page.Keys, from models.Info, list []models.Info) *fitDialog {
	d := &fitDialog{from: from, methods: fitMethods}
	for _, other := range list {
		if other.Model != nil && other.Name != from.Name && other.Workload() != from.Workload() &&
			other.Model.Provenance.Device == from.Model.Provenance.Device {
			d.references = append(d.references, other)
		}
	}
	switch at := slices.Index(d.methods, from.Model.Method); {
	case slices.ContainsFunc(d.references, refers):
		d.method, d.reference = 0, 1+slices.IndexFunc(d.references, refers)
	case at == 0: // by other networks, which transfer too
		d.method = slices.Index(d.methods, learn.PowerTrain)
	}
	d.Form = widget.Form{Keys: keys.FormKeys(), Title: "Fit again, or transfer from another workload", Verb: "fit",
		Width: 64, Note: d.note, Fields: []widget.Field{
			{Name: "method", Text: func() string { return string(d.methods[d.method]) },
				Turn: func(by int) { widget.Around(&d.method, by, len(d.methods)) }},
			{Name: "reference", Text: d.referenceText, Turn: func(by int) {
				widget.Around(&d.reference, by, len(d.references)+1)
			}},
		}}
	return d
}

// refers reports whether a model has enough modes for a reference of the default method.
func refers(info models.Info) bool { return len(info.Model.Samples) >= learn.LeastReference }

// transfers reports whether the method can transfer from another workload.
func (d *fitDialog) transfers() bool {
	return fit.Transfers(d.methods[d.method])
}

func (d *fitDialog) referenceText() string {
	switch {
	case !d.transfers():
		return "none: " + string(d.methods[d.method]) + " uses these modes alone"
	case d.reference > 0:
		return d.references[d.reference-1].Name
	case d.methods[d.method] == learn.PowerTrain:
		return "the ResNet-18 networks inside jtune"
	case len(d.references) == 0:
		return "none: no model of another workload here"
	}
	return "none"
}

// name returns the name of the new model.
func (d *fitDialog) name() string {
	base, _, _ := strings.Cut(d.from.Name, "-by-")
	name := base + "-by-" + string(d.methods[d.method])
	if d.reference > 0 && d.transfers() {
		name += "-from-" + d.references[d.reference-1].Name
	}
	return name
}

// fit refits the model and saves the result beside it, unless ctx ends first.
func (d *fitDialog) fit(ctx context.Context, h page.Session) func() tea.Msg {
	old, name, method, reference := d.from.Model, d.name(), d.methods[d.method], ""
	if d.reference > 0 && d.transfers() {
		reference = d.references[d.reference-1].Path
	}
	return func() tea.Msg {
		m, err := fit.Refit(ctx, old, method, reference)
		if err == nil {
			_, err = h.SaveModel(name, m)
		}
		return refitMsg{name, err}
	}
}

// methodNotes explains each method briefly.
var methodNotes = map[learn.Method]string{
	learn.GP: "the default: physics of the board with a Gaussian process for what it misses; good from ten " +
		"modes on, with honest bands",
	learn.Linear:     "a straight line through clocks and cores: for comparison, seldom good",
	learn.Tree:       "one decision tree: for comparison",
	learn.Forest:     "a random forest: for comparison; wants fifty modes or more",
	learn.PowerTrain: "the published networks, transferred from another workload: takes a while, wants fifty modes",
	learn.NN:         "the same networks from these modes alone: takes a while, wants hundreds of modes",
}

func (d *fitDialog) note(int) []string {
	lines := []string{string(d.methods[d.method]) + ": " + methodNotes[d.methods[d.method]] + ".",
		fmt.Sprintf("Fits again to the %d measured modes of %s, measures nothing, keeps the result as %s.",
			len(d.from.Model.Samples), d.from.Name, d.name())}
	if d.reference > 0 && d.methods[d.method] == learn.GP {
		if other := d.references[d.reference-1]; !refers(other) {
			lines = append(lines, fmt.Sprintf("%s has %d modes; a reference needs at least %d.",
				other.Name, len(other.Model.Samples), learn.LeastReference))
		}
	}
	return lines
}

// refitMsg reports the result of fitting by another method.
type refitMsg struct {
	name string
	err  error
}
