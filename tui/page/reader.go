package page

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"jtune/optimize"
	"jtune/optimize/mix"
	"jtune/optimize/outlook"
	"jtune/optimize/serving"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/pair"
	"jtune/tui/session/questions"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// Reader reads a State. What it gives belongs to the shell: it is not changed.
type Reader struct{ state *State }

// ReaderOf reads this state, as it is at each call.
func ReaderOf(s *State) Reader { return Reader{s} }

// Board is what the device is.
func (r Reader) Board() tegra.Board { return r.state.Device.Board }

// Space is the modes that the board has.
func (r Reader) Space() *tegra.Space { return r.state.Device.Space }

// Presets are the board's own.
func (r Reader) Presets() []tegra.Preset { return r.state.Device.Presets }

// Session is what a command may ask.
func (r Reader) Session() Session { return r.state.Device.Session }

// Block writes a mode as the vendor's POWER_MODEL block, in a command; ok is false
// where that cannot be done.
func (r Reader) Block() (write func(m tegra.Mode, name string) (string, error), ok bool) {
	return r.state.Device.Block, r.state.Device.Block != nil
}

// Speed is how fast a virtual board's clock runs; absent on real hardware.
func (r Reader) Speed() tegra.Val[float64] {
	if rate := r.state.Device.Rate; rate != nil {
		return tegra.Some(rate.Speed())
	}
	return tegra.Val[float64]{}
}

// Readings is what the board does.
func (r Reader) Readings() Readings { return r.state.Readings }

// Sample is the newest one.
func (r Reader) Sample() telemetry.Sample { return r.state.Readings.Sample }

// History is the samples of the last two minutes, oldest first.
func (r Reader) History() []telemetry.Sample { return r.state.Readings.History }

// Setup is how the device reads back that it is set now.
func (r Reader) Setup() tegra.Setup {
	if !r.state.Readings.OK {
		return tegra.Setup{}
	}
	return r.state.Readings.Sample.Reading.Setup()
}

// Present is the mode that the device reads back now.
func (r Reader) Present() tegra.Val[tegra.Mode] { return r.Setup().Mode }

// Locked reports whether clocks are locked, as far as it was read.
func (r Reader) Locked() tegra.Val[bool] { return r.Setup().Locked }

// Found is Setup with the idle power of the last seconds, for undo to name it.
func (r Reader) Found() tegra.Setup {
	out := r.Setup()
	out.IdleW = session.IdleW(r.History())
	return out
}

// UndoTo names the mode or preset that undo goes back to; "" when it is none.
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

// Work is the workloads that are known, and what they may be run with.
func (r Reader) Work() Work { return r.state.Work }

// Workloads lists those that are known.
func (r Reader) Workloads() []workload.Workload { return r.state.Work.List }

// Task is the one of this process that runs, or the last one; nil before.
func (r Reader) Task() *Task { return r.state.Tasks.Own }

// Searched is the newest search of this process before Task; nil without.
func (r Reader) Searched() *Task { return r.state.Tasks.Searched }

// Followed is a campaign of another process; nil without.
func (r Reader) Followed() *Task { return r.state.Tasks.Followed }

// Interrupted is the newest campaign that can go on; nil: there is none.
func (r Reader) Interrupted() *task.Interrupted { return r.state.Tasks.Interrupted }

// Campaigns are this board's campaigns, the newest first; nil before they are listed.
func (r Reader) Campaigns() []task.Listed { return r.state.Tasks.Campaigns }

// Answered is the newest campaign with the answer of a search of a workload.
func (r Reader) Answered(workload string) (l task.Listed, ok bool) {
	for _, l := range r.state.Tasks.Campaigns {
		if l.Answer != nil && l.Header.Workload.Name == workload {
			return l, true
		}
	}
	return l, false
}

// Measured are the campaigns of this board, the oldest first.
func (r Reader) Measured() []campaigns.Campaign {
	var out []campaigns.Campaign
	for _, l := range slices.Backward(r.state.Tasks.Campaigns) {
		out = append(out, l.Campaign)
	}
	return out
}

// Finding is an outlook that knows what searches have found.
func (r Reader) Finding(v *outlook.Outlook) *outlook.Outlook {
	found := questions.Answered(r.Measured(), v.Model.Provenance)
	if maps.Equal(found, v.Found) {
		return v
	}
	next := *v
	next.Found = found
	return &next
}

// Deleted are the campaigns that can be restored, the newest first.
func (r Reader) Deleted() []task.Listed { return r.state.Tasks.Deleted }

// Busy reports whether a task runs.
func (r Reader) Busy() bool { return r.state.Busy() }

// MayWrite returns the reason why modes cannot be set now, or "".
func (r Reader) MayWrite() string { return r.state.mayWrite() }

// MayRun returns the reason why no job can run in the present mode now, or "".
func (r Reader) MayRun() string { return r.state.mayRun() }

// MayMeasure returns the reason why nothing can be measured now, or "".
func (r Reader) MayMeasure() string { return r.state.MayMeasure() }

// Limit is what modes are chosen by, without the load.
func (r Reader) Limit() optimize.Limit { return r.state.Goal.Limit }

// Within is what is wanted within another limit.
func (r Reader) Within(l optimize.Limit) Choose { return Choose{l, r.state.Goal.Load} }

// Served is what the modes that show do under the load; nil: there is none, or that is being worked out.
func (r Reader) Served() *serving.LoadView {
	if r.Goal().Loaded() && r.state.Served.Of(r.state.Outlook) {
		return r.state.Served
	}
	return nil
}

// Goal is what the modes that show are chosen by; without a load where there is none, as of training.
func (r Reader) Goal() mix.Goal {
	g := r.state.Goal
	w := workload.Workload{}
	if o := r.state.Outlook; o != nil && r.state.LoadErr == nil {
		w, _ = r.state.Work.Find(o.Workload)
	}
	g.Load = workloads.LoadFor(w, g.Load)
	return g
}

// Standing is where a mode stands against the limits; optimize.Unknown where nothing is known of it.
func (r Reader) Standing(m tegra.Mode) optimize.Standing {
	unknown := optimize.Standing{State: optimize.Unknown}
	switch {
	case !r.Goal().Loaded():
		return r.state.Outlook.StandingOf(m, r.state.Goal.Limit)
	case r.Served() == nil:
		return unknown
	}
	if i, ok := r.state.Outlook.Index(m); ok {
		return r.state.Served.ModeStanding(i)
	}
	return unknown
}

// Outlook is the one that shows; nil without a model.
func (r Reader) Outlook() *outlook.Outlook { return r.state.Outlook }

// Mixes are the mixes of the newest pair; nil without.
func (r Reader) Mixes() *pair.Mixes { return r.state.Mixes }

// Applied is what this program has done to the board.
func (r Reader) Applied() session.Applied { return r.state.Applied }

// Look is how pages are drawn.
func (r Reader) Look() Look { return r.state.Look }

// Panel is a part of a page; in a narrow window without a frame.
func (r Reader) Panel(title, note string, body func(w, h int) string) widget.Panel {
	return widget.Panel{Title: title, Note: note, Body: body, Bare: r.state.Look.Narrow}
}

// Keys is the table of keys in force.
func (r Reader) Keys() *Keys { return r.state.Keys }

// Now is the user's time.
func (r Reader) Now() time.Time { return r.state.Moment.Now() }

// BoardNow is the time on the board's clock.
func (r Reader) BoardNow() time.Duration { return r.state.Moment.Clock.Now() }

// Rushed reports whether the key in hand came too soon after the one before.
func (r Reader) Rushed() bool { return r.state.Moment.Rushed }

// ModeText prints a mode in the device's own notation.
func (r Reader) ModeText(m tegra.Mode) string { return r.state.Device.Space.Format(m) }

// NameOf returns the preset or MAXN that a mode is, or "".
func (r Reader) NameOf(m tegra.Mode) string {
	return tegra.NameOf(m, r.state.Device.Space, r.state.Device.Presets)
}

// NameAs is NameOf of a mode with its clocks locked or free.
func (r Reader) NameAs(m tegra.Mode, locked tegra.Val[bool]) string {
	return tegra.NameAs(m, locked, r.state.Device.Space, r.state.Device.Presets)
}

// Busy reports whether a task runs.
func (s *State) Busy() bool { return s.Tasks.Own != nil && !s.Tasks.Own.Done() }

// mayWrite returns the reason why modes cannot be set now, or "".
func (s *State) mayWrite() string {
	if s.Device.ReadOnly {
		return "read-only"
	}
	return s.mayRun()
}

// mayRun returns the reason why no job can run in the present mode now, or "".
func (s *State) mayRun() string {
	if s.Busy() {
		return "busy " + s.Tasks.Own.Kind.String()
	}
	return ""
}

// MayMeasure returns the reason why nothing can be measured now, or "".
func (s *State) MayMeasure() string {
	if s.Moment.Asking {
		return "answer keep first"
	}
	return s.mayWrite()
}
