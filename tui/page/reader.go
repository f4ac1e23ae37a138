package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/optimize/standing"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
	"jtune/tui/session/pair"
	"jtune/tui/session/savedanswers"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// Reader reads a State. Its results belong to the shell and must not be modified.
type Reader struct{ state *State }

// ReaderOf returns a Reader of s; each call reads the present state.
func ReaderOf(s *State) Reader { return Reader{s} }

// Board returns the device's description.
func (r Reader) Board() tegra.Board { return r.state.Device.Board }

// Space returns the modes of the board.
func (r Reader) Space() *tegra.Space { return r.state.Device.Space }

// Presets returns the board's presets.
func (r Reader) Presets() []tegra.Preset { return r.state.Device.Presets }

// Session returns the requests that a command can make.
func (r Reader) Session() Session { return r.state.Device.Session }

// Block returns a function, to be run in a command, that writes a mode as the vendor's POWER_MODEL block; ok is false
// if that is not possible.
func (r Reader) Block() (write func(m tegra.Mode, name string) (string, error), ok bool) {
	return r.state.Device.Block, r.state.Device.Block != nil
}

// Speed returns the speed of a virtual board's clock; absent on real hardware.
func (r Reader) Speed() tegra.Val[float64] {
	if rate := r.state.Device.Rate; rate != nil {
		return tegra.Some(rate.Speed())
	}
	return tegra.Val[float64]{}
}

// Pace returns the rate at which a virtual board's clock runs while something is measured: it never sleeps, unless the
// user chose a rate; 0: the clock stays unchanged.
func (r Reader) Pace() float64 {
	if now := r.Speed(); !now.OK || r.state.Device.Paced || now.V != 1 {
		return 0
	}
	return math.Inf(1)
}

// Readings returns what the board does.
func (r Reader) Readings() Readings { return r.state.Readings }

// Sample returns the newest sample.
func (r Reader) Sample() telemetry.Sample { return r.state.Readings.Sample }

// History returns the samples of the last two minutes, oldest first.
func (r Reader) History() []telemetry.Sample { return r.state.Readings.History }

// Setup returns the settings that the device reads back.
func (r Reader) Setup() tegra.Setup {
	if !r.state.Readings.OK {
		return tegra.Setup{}
	}
	return r.state.Readings.Sample.Reading.Setup()
}

// Present returns the mode that the device reads back.
func (r Reader) Present() tegra.Val[tegra.Mode] { return r.Setup().Mode }

// Locked reports whether clocks are locked; absent if unknown.
func (r Reader) Locked() tegra.Val[bool] { return r.Setup().Locked }

// Found returns Setup with the idle power of the last seconds, so that undo can name it.
func (r Reader) Found() tegra.Setup {
	out := r.Setup()
	out.IdleW = session.IdleW(r.History())
	return out
}

// UndoTo names the mode or preset that undo restores; "" if it is neither.
func (r Reader) UndoTo() string {
	list := r.state.Applied.Before
	if r.state.Applied.Boot != nil || len(list) == 0 {
		return ""
	}
	b := list[len(list)-1]
	if !b.Mode.OK {
		return "the state found"
	}
	return cmp.Or(r.NameAs(b.Mode.V, b.Locked), r.ModeText(b.Mode.V))
}

// Work returns the known workloads, and what they can be run with.
func (r Reader) Work() Work { return r.state.Work }

// Workloads lists the known workloads.
func (r Reader) Workloads() []workload.Workload { return r.state.Work.List }

// Task returns this process's running task, or its last one; nil before the first.
func (r Reader) Task() *Task { return r.state.Tasks.Own }

// Searched returns this process's newest search before Task; nil if none.
func (r Reader) Searched() *Task { return r.state.Tasks.Searched }

// Followed returns a campaign of another process; nil if none.
func (r Reader) Followed() *Task { return r.state.Tasks.Followed }

// Interrupted returns the newest campaign that can be resumed; nil if none.
func (r Reader) Interrupted() *task.Interrupted { return r.state.Tasks.Interrupted }

// Campaigns lists this board's campaigns, newest first; nil before they are listed.
func (r Reader) Campaigns() []task.Listed { return r.state.Tasks.Campaigns }

// Answered returns the newest campaign of a workload whose search has an answer.
func (r Reader) Answered(workload string) (l task.Listed, ok bool) {
	for _, l := range r.state.Tasks.Campaigns {
		if l.Answer != nil && l.Header.Workload.Name == workload {
			return l, true
		}
	}
	return task.Nothing, false
}

// Measured lists this board's campaigns, oldest first.
func (r Reader) Measured() []campaigns.Campaign {
	var out []campaigns.Campaign
	for _, l := range slices.Backward(r.state.Tasks.Campaigns) {
		out = append(out, l.Campaign)
	}
	return out
}

// Finding returns an outlook that includes what searches have found.
func (r Reader) Finding(v *outlook.Outlook) *outlook.Outlook {
	list := r.Measured()
	found := savedanswers.Answered(list, v.Model.Provenance)
	if out := r.newest(list); out != nil && out.Fitted.Provenance.Workload == v.Model.Provenance.Workload {
		found = map[metric.Question]outlook.Answered{}
		for _, a := range out.Answers {
			if a.Feasible {
				found[metric.Question{Limit: a.Limit, Load: r.Task().Load}] = outlook.Answered{
					Setting: a.Setting.WithBatch(r.Task().Workload.Batch), Over: a.ChanceOver()}
			}
		}
	}
	if maps.Equal(found, v.Found) {
		return v
	}
	next := *v
	next.Found = found
	return &next
}

// newest returns what the finished search of this process has found, unless its workload was measured again since; else
// nil. The list of campaigns may be older: it then lacks the search, or its last readings.
func (r Reader) newest(list []campaigns.Campaign) *measure.TuneResult {
	t := r.Task()
	if t == nil || !t.Done() || t.Tuned == nil || t.Tuned.Fitted == nil {
		return nil
	}
	at := slices.IndexFunc(list, func(c campaigns.Campaign) bool { return c.Dir == t.Tuned.Home })
	if at < 0 {
		return t.Tuned
	}
	for _, c := range list[at+1:] {
		if c.Header.Workload.Name == t.Workload.Name && savedanswers.Head(list, c).Dir != t.Tuned.Home {
			return nil
		}
	}
	return t.Tuned
}

// Deleted lists the campaigns that can be restored, newest first.
func (r Reader) Deleted() []task.Listed { return r.state.Tasks.Deleted }

// Busy reports whether a task is running.
func (r Reader) Busy() bool { return r.Task() != nil && !r.Task().Done() }

// Asking reports whether a set mode waits to be kept.
func (r Reader) Asking() bool { return r.asking() != "" }

// MayWrite returns why modes cannot be set now, or "".
func (r Reader) MayWrite() string {
	if r.state.Device.ReadOnly {
		return "read-only"
	}
	return r.busy()
}

// MayRun returns why no job can run in the present mode now, or "".
func (r Reader) MayRun() string { return cmp.Or(r.asking(), r.busy()) }

// MayMeasure returns why nothing can be measured now, or "".
func (r Reader) MayMeasure() string { return cmp.Or(r.asking(), r.MayWrite()) }

// busy names the running task, or is "".
func (r Reader) busy() string {
	if r.Busy() {
		return "busy " + r.Task().Kind.String()
	}
	return ""
}

// asking returns what comes before anything else if a mode waits to be kept, or did just now, or "".
func (r Reader) asking() string {
	switch {
	case r.state.Moment.Asking:
		return "answer keep first"
	case r.Dropping():
		return "the job of the last mode is ending"
	}
	return ""
}

// Limit returns the limit that modes are chosen by, without the load.
func (r Reader) Limit() metric.Goal { return r.state.Goal.Limit }

// Within returns the intent to choose by limit l under the same load.
func (r Reader) Within(l metric.Goal) Choose { return Choose{l, r.state.Goal.Load} }

// Served returns the predictions of the shown modes under the load; nil if there is no load or they are not computed
// yet.
func (r Reader) Served() *serving.LoadView {
	if r.state.Served.Of(r.state.Outlook) {
		return r.state.Served
	}
	return nil
}

// Goal returns what the shown modes are chosen by; without a load if there is none, as for training.
func (r Reader) Goal() metric.Question {
	g := r.state.Goal
	w := workload.Workload{}
	if o := r.state.Outlook; o != nil && r.state.LoadErr == nil {
		w, _ = r.state.Work.Find(o.Workload)
	}
	g.Load = workloads.LoadFor(w, g.Load, g.Load.Gives)
	return g
}

// Standing compares a mode with the limits; standing.Unknown if nothing is known of it.
func (r Reader) Standing(m tegra.Mode) standing.Standing {
	unknown := standing.Standing{State: standing.Unknown}
	switch {
	case !r.Goal().Load.Any():
		return r.state.Outlook.StandingOf(m, r.state.Goal.Limit)
	case r.Served() == nil:
		return unknown
	}
	if i, ok := r.state.Outlook.Index(m); ok {
		return r.state.Served.ModeStanding(i)
	}
	return unknown
}

// Outlook returns the shown outlook; nil without a model.
func (r Reader) Outlook() *outlook.Outlook { return r.state.Outlook }

// Loading reports whether the first outlook is being computed from a kept model.
func (r Reader) Loading() bool { return r.state.LoadedLast && r.state.Outlook == nil }

// Mixes returns the mixes of the newest pair; nil if none.
func (r Reader) Mixes() *pair.Mixes { return r.state.Mixes }

// Applied returns what this program has done to the board.
func (r Reader) Applied() session.Applied { return r.state.Applied }

// Look returns how pages are drawn.
func (r Reader) Look() Look { return r.state.Look }

// Panel returns a part of a page, without a frame in a narrow window.
func (r Reader) Panel(title, note string, body func(w, h int) string) widget.Panel {
	return widget.Panel{Title: title, Note: note, Body: body, Bare: r.state.Look.Narrow}
}

// Keys returns the key table in use.
func (r Reader) Keys() *Keys { return r.state.Keys }

// Now returns the user's time.
func (r Reader) Now() time.Time { return r.state.Moment.Now() }

// BoardNow returns the time on the board's clock.
func (r Reader) BoardNow() time.Duration { return r.state.Moment.Clock.Now() }

// Rushed reports whether the key in hand came too soon after the previous one.
func (r Reader) Rushed() bool { return r.state.Moment.Rushed }

// ModeText formats a mode in the device's notation.
func (r Reader) ModeText(m tegra.Mode) string { return r.state.Device.Space.Format(m) }

// NameOf returns the name of a mode if it is a preset or MAXN, otherwise "".
func (r Reader) NameOf(m tegra.Mode) string {
	return tegra.NameOf(m, r.state.Device.Space, r.state.Device.Presets)
}

// NameAs is NameOf for a mode with locked or free clocks.
func (r Reader) NameAs(m tegra.Mode, locked tegra.Val[bool]) string {
	return tegra.NameAs(m, locked, r.state.Device.Space, r.state.Device.Presets)
}

// Leaves says how a suspended program leaves the board, or why it cannot be suspended now.
func (r Reader) Leaves() (board, why string) {
	switch {
	case r.Busy():
		return "", fmt.Sprintf("%s runs: a stopped program cannot measure", r.Task().Kind)
	case r.Asking():
		return "", r.asking()
	case r.state.Applied.Unkept():
		return "the board stays in the applied mode until jtune ends", ""
	case len(r.Applied().History) > 0:
		return "the board stays in the mode that was kept", ""
	}
	return "nothing was changed on the board", ""
}
