package task

import (
	"cmp"
	"fmt"
	"strings"

	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/imports"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/soak"
	"jtune/tui/session/workloads"
)

// Request is the request of a campaign; at most one member is set.
type Request struct {
	Tune    *measure.TuneRequest
	Profile *measure.ProfileRequest
	Run     *measure.RunRequest
	Pair    *pair.Request
	Soak    *soak.Request
	Notes   []string // what differs from then
}

// asked reads the request of a campaign from its folder; own is the workload to run for one that its file names.
// Errors are usage errors, or say what is wrong with the folder.
func asked(c campaigns.Campaign, own func(there workload.Workload) (workload.Workload, error)) (r Request, err error) {
	h, plan := c.Header, c.Header.Plan
	w, err := own(h.Workload)
	if err != nil {
		return r, err
	}
	measuring := measure.Measuring{Workload: w, Batches: plan.Batches, Settings: h.Settings}
	measuring.Settings.Base, measuring.Settings.Epochs = 0, 0
	switch {
	case h.Pair != nil:
		train, err := own(h.Pair.Train)
		if err != nil {
			return r, err
		}
		r.Pair = new(pair.Request)
		if *r.Pair, err = pair.PairSearchOf(*h, train, w); err != nil {
			return r, fmt.Errorf("campaign %s: %w", c.Name, err)
		}
		r.Pair.Settings = measuring.Settings
	case plan.Kind == record.ExperimentKind || plan.Kind == imports.Kind:
		return r, usage.Errorf("campaign %s holds an %s, which repeats with %s", c.Name, plan.Kind,
			map[string]string{record.ExperimentKind: "jtune lab experiment",
				imports.Kind: "jtune campaigns import"}[plan.Kind])
	case soak.Is(*h):
		r.Soak = &soak.Request{Workload: w, Dir: c.Dir, Resume: true}
	case plan.Kind == campaigns.RunKind:
		r.Run = &measure.RunRequest{Workload: w, Minibatches: h.Settings.Minibatches, Epochs: h.Settings.Epochs,
			Every: h.Settings.SampleEvery, Base: h.Settings.Base}
		if r.Run.Epochs > 0 || plan.Source == campaigns.WhenSteady {
			r.Run.Minibatches = 0
		}
	case h.Search != nil:
		r.Tune = &measure.TuneRequest{Measuring: measuring, Asked: h.Search.Asked, Questions: h.Search.Questions}
	case plan.Kind == campaigns.TuneKind:
		return r, usage.Errorf("campaign %s was made by jtune %s, which did not record its search", c.Name,
			h.Jtune)
	default:
		r.Profile = &measure.ProfileRequest{Measuring: measuring}
		err = selected(r.Profile, c)
	}
	return r, err
}

// ToRepeat sets board, seed and batch sizes of the options to those of a campaign, unless the options name others.
func ToRepeat(o session.Options, c campaigns.Campaign) session.Options {
	h := c.Header
	if o.Device == "" || o.Device == "auto" {
		switch d := h.Device; {
		case d.Replay != "":
			o.Device = "replay:" + cmp.Or(d.Path, d.Replay)
		case d.Virtual && d.Which != "":
			o.Device = "virtual:" + d.Which
		case d.Virtual:
			o.Device = "virtual:" + session.VirtualName(d.Name)
		}
	}
	if o.Batches == nil {
		if o.Batches = h.Plan.Batches; o.Batches == nil {
			o.Batches = []int{h.Workload.Batch}
		}
	}
	o.Seed = h.Seed
	return o
}

// Repeat returns the request of a campaign. Its workload must be one of this user's or a built-in one, with the same
// settings, because a file must never decide what is run; trust overrides that. typed is the command if the user typed
// it again; nil if not.
func Repeat(s *session.Session, c campaigns.Campaign, trust bool, typed *workloads.Typed) (r Request, err error) {
	h := c.Header
	if here, there := s.Board(), c.Board; here != there {
		return r, usage.Errorf("campaign %s was measured on %s, this is %s", c.Name, there, here)
	}
	r, err = asked(c, func(there workload.Workload) (workload.Workload, error) {
		w, differs := ownWorkload(s, there)
		if again := typed; again != nil {
			typed, trust = nil, false // it is the first workload that a folder names
			if w, differs, err = workloads.TypedAgain(s, *again, there); err == nil && differs != "" {
				err = usage.Errorf("%s: give the same command, or start a new campaign with this one", differs)
			}
			return w, err
		}
		if differs != "" && !trust {
			return w, usage.TrustCommand.Errorf("%s; %s runs that", differs, usage.TrustCommand)
		}
		return w, nil
	})
	if err != nil {
		return r, err
	}
	switch {
	case r.Soak != nil:
		return r, usage.Errorf("campaign %s is a soak, which repeats with jtune soak", c.Name)
	case r.Tune != nil:
		r.Tune.Keep, r.Tune.Before = true, h.Created
	case r.Run != nil:
		if now, rows := s.Setup().Mode, c.Rows(); len(rows) > 0 && (!now.OK || now.V != rows[0].Mode) {
			then := s.Device.Space().Format(rows[0].Mode)
			r.Notes = append(r.Notes, "the board is not in the mode of that run, "+then)
		}
	case r.Profile != nil:
		if n := len(r.Profile.List); h.Plan.Shard == "" && n > 0 && n < h.Plan.Modes {
			r.Notes = append(r.Notes, fmt.Sprintf("the campaign ended early: the %s that it measured, of %d",
				text.Count(n, "mode"), h.Plan.Modes))
		}
	}
	return r, nil
}

// ownWorkload returns the user's or built-in workload that a file refers to. differs describes any differences; then
// the workload is the file's, and the user must decide whether to run it.
func ownWorkload(s *session.Session, there workload.Workload) (w workload.Workload, differs string) {
	w, err := workloads.FindAny(s, there.Name)
	w = w.AtBatch(there.Batch)
	w.Workers = there.Workers // as set by run --workers
	other := there.Otherwise(w)
	switch {
	case err != nil && there.Own && len(there.Command) > 0:
		return workloads.OnHost(s, there), "the campaign ran a command of its own: give it again behind --, " +
			"such as -- " + text.OneLine(workloads.LineOf(there.Command))
	case err != nil:
		known := workload.Workload{Name: there.Name, Batch: there.Batch, Workers: there.Workers,
			Prefetch: there.Prefetch}
		return workloads.OnHost(s, there), "workload " + text.Clip(there.Name) +
			" is unknown here; the campaign ran " +
			cmp.Or(strings.Join(there.Otherwise(known), ", "), "it on a virtual board")
	case len(other) > 0:
		return workloads.OnHost(s, there), "workload " + text.Clip(there.Name) +
			" has other settings here; the campaign ran " +
			strings.Join(other, ", ")
	}
	return w, ""
}

// selected fills in the selection of a campaign's modes as it was requested; for a list that the folder does not
// contain, the measured modes.
func selected(r *measure.ProfileRequest, c campaigns.Campaign) error {
	plan := c.Header.Plan
	r.Filter, r.Repeats, r.ListName = plan.Filter, plan.Repeats, plan.Source
	switch plan.Kind {
	case campaigns.ModesKind:
		r.Choose = plan.Modes
	case "sample":
		r.Sample, r.Grid = plan.Modes, plan.Source == campaigns.GridSource
	case "grid":
		r.Grid = true
	case "filter":
	default:
		list, err := plan.List()
		if err != nil {
			return fmt.Errorf("campaign %s: %w", c.Name, err)
		}
		if r.List = list; list == nil {
			r.List = c.Settings()
		}
	}
	_, _ = fmt.Sscanf(plan.Shard, "%d/%d", &r.Shard[0], &r.Shard[1])
	if r.Shard != [2]int{} && r.Sample > 0 { // the plan counts only its own shard
		r.Sample *= r.Shard[1]
	}
	return nil
}
