package tui

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/session"
)

// previewMsg brings the preview of a task.
type previewMsg struct {
	task    *task
	preview session.Preview
}

// previewNext works out the next preview of a task off the screen's goroutine,
// one at a time; nil when there is nothing new or nobody looks: it costs a tenth
// of a second of a core that the campaign could use.
func (sh *shared) previewNext(j *task) tea.Cmd {
	if j == nil || j.previewing || sh.Look.Shown != page.Profile {
		return nil
	}
	samples, space := j.Measured(), j.SpaceOr(sh.Device.Space)
	if len(samples) < session.LeastPreview || j.Preview.Modes == len(samples) {
		return nil
	}
	j.previewing = true
	ctx := sh.ctx
	return sh.computed(func() tea.Msg { return previewMsg{j, session.NewPreview(ctx, samples, space)} })
}

// previewOwn works out what the running campaign's rows say so far.
func (sh *shared) previewOwn() tea.Cmd {
	if sh.task == nil || sh.task.Kind == session.Training || sh.task.Kind == session.Pairing {
		return nil
	}
	return sh.previewNext(sh.task)
}

// foldPreview shows a preview, and begins the next one.
func (sh *shared) foldPreview(m previewMsg) tea.Cmd {
	j := m.task
	j.Preview, j.previewing = m.preview, false
	if len(j.Preview.TimeMS) > 0 {
		j.Bands = append(j.Bands, j.Preview.TimePct)
	}
	return sh.previewNext(j)
}
