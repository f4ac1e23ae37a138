package tui

import (
	tea "charm.land/bubbletea/v2"

	"jtune/tui/page"
	"jtune/tui/page/dialog"
)

// tick is a timer message: nothing on the screen has changed.
type tick interface{ tick(r *root) tea.Cmd }

// Update implements tea.Model. It is the only switch on messages; screen handles those of the terminal first.
func (r *root) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if t, is := msg.(tick); is {
		return r, t.tick(r)
	}
	r.frame = ""
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		r.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		r.sh.ground(msg.Color)
	case tea.KeyPressMsg:
		cmd = r.press(msg)
	case tea.PasteMsg:
		cmd = r.paste(msg)
	case tea.MouseWheelMsg:
		cmd = r.wheel(msg)
	case tea.MouseClickMsg:
		cmd = r.click(msg)
	case streamed:
		if cmd = msg.next(r); r.sh.Look.Frozen {
			r.hold(msg)
		} else {
			r.sh.catchUp()
			cmd = tea.Batch(cmd, msg.fold(r))
		}
	case taskDoneMsg: // show what the task did before its end
		cmd = tea.Batch(r.thaw(), msg.fold(r))
	case event:
		cmd = msg.fold(r)
	case rereadMsg:
		r.sh.reread(msg)
		return r.Update(msg.about)
	case page.ModelsListed:
		r.sh.kept = msg.List
		cmd = tea.Batch(r.broadcast(msg), r.sh.renew(msg.List))
	case page.Then:
		cmd = r.do(msg)
	case page.Managed:
		cmd = r.sh.managed(msg)
	default:
		cmd = r.broadcast(msg)
	}
	r.sh.Moment.Asking = r.apply.Stage() != dialog.Idle
	return r, tea.Batch(cmd, r.complete(), r.sh.loadLast())
}

// Init starts to watch the device and lists workloads and models.
func (r *root) Init() tea.Cmd {
	sh := r.sh
	cmds := []tea.Cmd{sh.listWorkloads, listModels(sh.host), sh.listCampaigns(), r.pulse()}
	if r.tour != nil {
		cmds = append(cmds, nextTourTick())
	}
	return tea.Batch(append(cmds, r.nextReadings())...)
}
