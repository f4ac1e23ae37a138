package tui

import (
	tea "charm.land/bubbletea/v2"

	"jtune/telemetry"
	"jtune/tui/page"
)

// sampleMsg carries the readings since the last one.
type sampleMsg struct{ telemetry.Readings }

// nextReadings waits for the next readings.
func (r *root) nextReadings() tea.Cmd {
	if r.watch == nil {
		return nil
	}
	return next(r.sh.ctx, r.watch.Next, frameEvery, func(s telemetry.Readings) tea.Msg { return sampleMsg{s} })
}

func (m sampleMsg) next(r *root) tea.Cmd { return r.nextReadings() }

func (m sampleMsg) fold(r *root) tea.Cmd {
	sh := r.sh
	sh.Readings.Take(m.Readings)
	sh.Applied.Watch(sh.Readings.History)
	return tea.Batch(sh.followNext(), sh.previewOwn(), sh.lookAtKept(), r.broadcast(page.Sampled{}))
}

// lookAtKept compares the board with its kept mode when its settings change, but not while this program sets modes.
func (sh *shared) lookAtKept() tea.Cmd {
	h, r := sh.host, sh.Readings.Sample.Reading
	if sh.read.Busy() || sh.Applied.Unkept() {
		return nil
	}
	since, due := sh.keptMode.Due(r, sh.now())
	if !due {
		return nil
	}
	return func() tea.Msg {
		left := h.LeftKept(r, since)
		return then(func(*root) tea.Cmd {
			if sh.Readings.Left == "" && left != "" {
				sh.say("%s", left)
			}
			sh.Readings.Left = left
			return nil
		})
	}
}

// first reads the device once, so that the first frame has something to show.
func (d *deps) first() telemetry.Readings {
	s, _ := d.sampler.Read() // its error is in Why
	return telemetry.Readings{Last: s, Samples: []telemetry.Sample{s}}
}
