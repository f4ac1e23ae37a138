package tui

import (
	"cmp"
	"slices"
	"strings"

	"jtune/tegra/metric"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/session/models"
)

// wordsOf parses a line typed in the list of all actions. "tune 25 W", "tune bert 120 ms" and "measure MODE_30W" open
// their dialog filled in; "front bert" shows a model, "limits 25 W" changes the goal, "board nano" switches to another
// virtual board. Nothing is measured or set before the next key. ok is false for any other line.
func (r *root) wordsOf(line string) (o dialog.Offer, ok bool) {
	verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	if verb = strings.ToLower(verb); rest == "" {
		return o, false
	}
	keys := r.sh.Keys
	offer := func(does page.Intent, why string) (dialog.Offer, bool) {
		a := keys.Palette.As(verb + " " + rest)
		a.SetHelp(keys.Enter.Label(), verb+" "+rest)
		return dialog.Offer{Action: a.Unless(why), Does: does}, true
	}
	switch verb {
	case "tune":
		workload, limit := r.workloadIn(rest)
		return offer(page.AskTune{Workload: workload, Limit: limit}, r.sh.read.MayMeasure())
	case "measure", "verify":
		return offer(page.AskMeasure{Mode: rest}, r.sh.read.MayMeasure())
	case "limit", "limits":
		g, err := metric.Parse(rest)
		why := page.Wrong(err)
		if why == "" && r.sh.Outlook == nil {
			why = "no model is loaded"
		}
		return offer(page.All{page.Choose(g), page.Open(page.Front)}, why)
	case "front":
		does, why := r.frontOf(rest)
		return offer(does, why)
	case "board":
		why := "known: " + strings.Join(r.boards, ", ")
		if r.boards == nil {
			why = "quit, and start jtune on a virtual board"
		}
		if slices.Contains(r.boards, rest) {
			why = r.sh.read.MayMeasure()
		}
		return offer(page.BeBoard(rest), why)
	}
	return o, false
}

// workloadIn cuts the name of a workload off the beginning of a line.
func (r *root) workloadIn(line string) (name, rest string) {
	first, rest, _ := strings.Cut(line, " ")
	if w, known := r.sh.Work.Find(first); known {
		return w.Name, strings.TrimSpace(rest)
	}
	return "", line
}

// frontOf shows a workload's model on Front; why says why it cannot, or is "".
func (r *root) frontOf(workload string) (does page.Intent, why string) {
	w, _ := r.sh.Work.Find(workload)
	name := cmp.Or(w.Name, workload)
	if v := r.sh.Outlook; v != nil && v.Workload == name {
		return page.Open(page.Front), ""
	}
	at := slices.IndexFunc(r.sh.kept, func(i models.Info) bool {
		return i.Model != nil && (i.Name == workload || i.Workload() == name) &&
			models.Foreign(i.Model, r.sh.Device.Space) == ""
	})
	if at < 0 {
		return nil, "no model of " + name + " is kept on this board"
	}
	return page.All{page.Load{Model: r.sh.kept[at]}, page.Open(page.Front)}, ""
}
