package train

import (
	"fmt"
	"strings"

	"jtune/tui/page"
	"jtune/tui/widget"
)

// besideW is the minimum width for output and reading side by side.
const besideW = 70

// render draws the dialog over the page.
// view renders the job's output, and how it is read.
func (d *ownJob) view(w, h int) string {
	state := "starts"
	var lines []string
	if j := d.shown(); j != nil {
		if state = j.State.String(); j.Done() {
			state = "ended"
		}
		if j.Told != nil {
			for _, line := range j.Told.Lines {
				lines = append(lines, printable(line))
			}
		}
	}
	prints := d.read.Panel(printable(d.work.Name)+" prints", state, func(w, h int) string {
		var pane widget.LogPane
		pane.Add(lines...)
		return pane.Render(w, h)
	})
	reads := d.read.Panel("What jtune reads", "", func(w, h int) string { return widget.Fit(d.reading(w), w, h) })
	if w < besideW {
		top := (h + 1) * 3 / 5
		return widget.Under(reads.Render(w, top), prints.Render(w, h-top))
	}
	left := w / 2
	return widget.Beside(prints.Render(left, h), reads.Render(w-left, h))
}

// reading describes how the output is read, in lines of w cells.
func (d *ownJob) reading(w int) string {
	j := d.shown()
	if j == nil || j.Told == nil {
		return widget.StyleDim.Render(widget.Wrap("the first lines have not come yet", w))
	}
	var out []string
	say := func(format string, args ...any) {
		out = append(out, widget.Wrap(page.Words(printable(fmt.Sprintf(format, args...))), w))
	}
	told := j.Told
	switch r := told.Reading; {
	case r != nil:
		say("%s %q", r.Form, r.What)
		unit := r.Unit
		if r.Samples > 0 {
			unit = fmt.Sprintf("%s of %d samples", unit, r.Samples)
		}
		say("%d steps, %s ms a %s", r.Steps, widget.MS(r.TimeMS), unit)
		if r.Why != "" {
			say("median %s ms: %s", widget.MS(r.MedianMS), r.Why)
		}
		for _, l := range r.LeftOut {
			say("left out: %s (%d, %.1f s)", l.What, l.Count, l.S)
		}
	case told.Why != nil:
		if say("%s", told.Why); j.Err == nil {
			out = append(out, "",
				widget.Wrap("A job that ends by itself can be tuned all the same: each run is one reading.", w))
		}
	case j.Err == nil:
		say("its own events, as a built-in job's")
	}
	if j.Err != nil {
		out = append(out, widget.StyleBad.Render(widget.Wrap(page.Words(printable(j.Err.Error())), w)))
	}
	if len(told.Candidates) > 0 {
		out = append(out, "", widget.StyleDim.Render(widget.Cut("could be read:", w)))
	}
	for _, c := range told.Candidates {
		mark := " "
		if r := told.Reading; r != nil && r.Form == c.Form && r.What == c.What {
			mark = "▸"
		}
		line := fmt.Sprintf("%s %3.0f %% %s ms %s %s", mark, 100*c.Share, widget.MS(c.TimeMS), c.Form, c.What)
		out = append(out, widget.Cut(printable(line), w))
	}
	if d.as.Pattern != "" {
		say("chosen: %s", d.as.Pattern)
	}
	return strings.Join(out, "\n")
}
