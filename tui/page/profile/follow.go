package profile

import (
	"fmt"
	"path/filepath"
	"slices"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/tui/page"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/task"
	"jtune/tui/widget"
)

// followedHead shows the progress of another process' campaign in two lines.
func (p *Page) followedHead(j *page.Task, w int) string {
	f := j.Follows
	on := f.Header.Device.Name
	if f.Header.Device.Replay != "" {
		on += " REPLAY"
	} else if f.Header.Device.Virtual {
		on += " VIRTUAL"
	}
	modes := len(record.Modes(j.Rows))
	count := text.Count(modes, "mode")
	if j.Planned > 0 {
		count = fmt.Sprintf("%d of %d modes", modes, j.Planned)
	}
	what := fmt.Sprintf(" following %s: %s %s on %s", f.By(), f.Header.Plan.Kind, j.Workload.Name, on)
	if w < narrowW {
		what = fmt.Sprintf(" %s: %s %s on %s", f.By(), f.Header.Plan.Kind, j.Workload.Name, on)
	}
	room := w - widget.Width(count) - 1
	first := widget.Cut(widget.CutClause(what, room), room) + " " + count
	state, left := widget.StyleBold.Render("running")+", read only", ""
	if f.Reach != nil {
		state = widget.StyleBold.Render(f.Reach.State)
	}
	finished := j.Planned > 0 && len(j.Rows) >= j.Planned ||
		slices.ContainsFunc(p.read.Campaigns(), func(l task.Listed) bool {
			return l.Dir == f.Dir && l.State == campaigns.CampaignFinished
		})
	switch {
	case j.Done() && finished:
		state = widget.StyleBold.Render("finished") + ": " + filepath.Base(f.Dir)
	case j.Done():
		state = widget.StyleBold.Render("ended") + " or cut off: that jtune has let go of " + filepath.Base(f.Dir)
	default:
		if !f.Newest.IsZero() && len(j.Rows) > 0 {
			state += ", newest mode " + units.Ago(p.read.Now().Sub(f.Newest))
		}
		if lo, hi := profiles.Remaining(j.Rows, j.Planned-len(j.Rows)); hi > 0 {
			left = widget.SpanRange(lo, hi) + " left"
		}
	}
	return widget.Under(widget.StyleBold.Render(first), widget.Pinned(" "+state, left, w))
}
