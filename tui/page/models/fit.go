package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"jtune/internal/fields"
	"jtune/learn"
	"jtune/tui/page"
	"jtune/tui/session/fit"
	"jtune/tui/session/models"
	"jtune/tui/widget"
)

// fitDialog asks how to refit a model to its own modes: by which method, and transferred from which other workload of
// the same device.
type fitDialog struct {
	from       models.Info
	references []models.Info // models of other workloads on this device
	method     string
	reference  int // 0: none; otherwise an index into references plus one
}

// askToFit opens the dialog for a model.
func (p *Page) askToFit(from models.Info) page.Intent {
	d := &fitDialog{from: from, method: string(from.Model.Method)}
	for _, other := range p.list {
		if other.Model != nil && other.Name != from.Name && other.Workload() != from.Workload() &&
			other.Model.Provenance.Device == from.Model.Provenance.Device {
			d.references = append(d.references, other)
		}
	}
	switch {
	case slices.ContainsFunc(d.references, refers):
		d.method, d.reference = string(learn.GP), 1+slices.IndexFunc(d.references, refers)
	case d.method == string(learn.GP): // by other networks, which transfer too
		d.method = string(learn.PowerTrain)
	default:
		d.method = string(learn.GP)
	}
	method := page.Pick("method", fields.In("fit", "method"), &d.method)
	method.Whole = true
	reference := page.Field{Name: "reference", Text: d.referenceText, Turn: func(by int) {
		widget.Around(&d.reference, by, len(d.references)+1)
	}}
	return p.read.Question("", page.Form{Title: "Fit again, or transfer from another workload", Verb: "fit",
		Width: 64, Note: d.note, Fields: []page.Field{method, reference}}, func() page.Intent { return p.begin(d) })
}

// begin fits in the background, until p.stopFit.
func (p *Page) begin(d *fitDialog) page.Intent {
	halt, stop := context.WithCancel(context.Background())
	name, work := d.name(), d.fit(halt, p.read.Session())
	p.fitting, p.stopFit = name, stop
	return page.Compute(func(ctx context.Context) tea.Msg {
		defer context.AfterFunc(ctx, stop)()
		err := work()
		return page.Then(func() page.Intent { return p.refitted(name, err) })
	})
}

// refers reports whether a model has enough modes for a reference of the default method.
func refers(info models.Info) bool { return len(info.Model.Samples) >= learn.LeastReference }

// transfers reports whether the method can transfer from another workload.
func (d *fitDialog) transfers() bool {
	return fit.Transfers(learn.Method(d.method))
}

func (d *fitDialog) referenceText() string {
	switch {
	case !d.transfers():
		return "none: " + d.method + " uses these modes alone"
	case d.reference > 0:
		return d.references[d.reference-1].Name
	case learn.Method(d.method) == learn.PowerTrain:
		return "the ResNet-18 networks inside jtune"
	case len(d.references) == 0:
		return "none: no model of another workload here"
	}
	return "none"
}

// name returns the name of the new model.
func (d *fitDialog) name() string {
	base, _, _ := strings.Cut(d.from.Name, "-by-")
	name := base + "-by-" + d.method
	if d.reference > 0 && d.transfers() {
		name += "-from-" + d.references[d.reference-1].Name
	}
	return name
}

// fit refits the model and saves the result beside it, unless ctx ends first.
func (d *fitDialog) fit(ctx context.Context, h page.Session) func() error {
	old, name, method, reference := d.from.Model, d.name(), learn.Method(d.method), ""
	if d.reference > 0 && d.transfers() {
		reference = d.references[d.reference-1].Path
	}
	return func() error {
		m, err := fit.Refit(ctx, old, method, reference)
		if err == nil {
			_, err = h.SaveModel(name, m)
		}
		return err
	}
}

func (d *fitDialog) note(int) []string {
	lines := []string{fmt.Sprintf(
		"Fits again to the %d measured modes of %s, measures nothing, keeps the result as %s.",
		len(d.from.Model.Samples), d.from.Name, d.name())}
	if d.reference > 0 && learn.Method(d.method) == learn.GP {
		if other := d.references[d.reference-1]; !refers(other) {
			lines = append(lines, fmt.Sprintf("%s has %d modes; a reference needs at least %d.",
				other.Name, len(other.Model.Samples), learn.LeastReference))
		}
	}
	return lines
}
