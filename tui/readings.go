package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/page"
	"jtune/tui/session"
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

func (m sampleMsg) fold(r *root) (told []tea.Msg, cmd tea.Cmd) {
	sh := r.sh
	sh.Readings.Take(m.Readings)
	sh.Applied.Watch(sh.Readings.History)
	return []tea.Msg{page.Sampled{}}, tea.Batch(sh.followNext(), sh.previewOwn(), sh.lookAtKept())
}

// keptWatch is the watch over the kept mode.
type keptWatch struct {
	at     tegra.Setup // the state that was compared last
	heat   bool
	looked bool // it was compared with once
}

// leftMsg is the result of a comparison with the kept mode.
type leftMsg struct {
	left *session.Departure
	at   tegra.Val[time.Time] // absent: the board was so when this program started
}

// lookAtKept compares the board with its kept mode whenever its settings change, except while this program sets them.
func (sh *shared) lookAtKept() tea.Cmd {
	r := sh.Readings.Sample.Reading
	now := keptWatch{r.Setup(), r.Heat.Or(false), true}
	if !sh.Readings.OK || sh.keptMode == now || sh.Busy() || sh.Applied.Unkept() {
		return nil
	}
	at := tegra.Val[time.Time]{V: sh.now(), OK: sh.keptMode.looked}
	sh.keptMode = now
	h := sh.host
	return func() tea.Msg { return leftMsg{h.LeftKept(r), at} }
}

func (m leftMsg) fold(r *root) ([]tea.Msg, tea.Cmd) {
	was := r.sh.Readings.Left
	r.sh.Readings.Left = ""
	if m.left != nil {
		if r.sh.Readings.Left = m.left.Text(r.sh.Device.Space, m.at); was == "" {
			r.sh.say("%s", r.sh.Readings.Left)
		}
	}
	return nil, nil
}

// first reads the device once, so that the first frame has something to show.
func (d *deps) first() telemetry.Readings {
	s, _ := d.sampler.Read() // its error is in Why
	return telemetry.Readings{Last: s, Samples: []telemetry.Sample{s}}
}
