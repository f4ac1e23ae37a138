package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// screen draws the root model on the terminal.
type screen struct {
	*root
	renderer *renderer
	size     func() (w, h int, err error) // of the terminal
	due      bool                         // a frame waits for its time
}

// Bounds of the screens. A window that says to be larger shows them in its corner: each cell takes memory, and a
// program may give its terminal any size up to 65,535 each way.
const (
	mostColumns = 1000
	mostRows    = 500
)

// frameMsg: the time of a frame has come.
type frameMsg struct{}

// Init is tea.Model's: the root model's. The window may have grown while the program started.
func (s *screen) Init() tea.Cmd { return tea.Batch(s.root.Init(), s.askSize) }

// askSize asks the terminal for its size: without a renderer of its own Bubble Tea does not, and its
// RequestWindowSize has no answer.
func (s *screen) askSize() tea.Msg {
	w, h, err := s.size()
	if err != nil {
		return nil
	}
	return tea.WindowSizeMsg{Width: w, Height: h}
}

// Update is tea.Model's: the root model's, and the frame that follows.
func (s *screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case frameMsg:
		s.due = false
	case clipMsg:
		s.renderer.copy(string(msg))
	case tea.ModeReportMsg:
		s.renderer.report(msg)
	case tea.WindowSizeMsg:
		msg.Width, msg.Height = min(msg.Width, mostColumns), min(msg.Height, mostRows)
		other := msg.Width != s.renderer.w || msg.Height != s.renderer.h
		s.renderer.resize(msg.Width, msg.Height)
		if _, cmd = s.root.Update(msg); other { // an older size may come after a newer one
			cmd = tea.Batch(cmd, s.askSize)
		}
	default:
		_, cmd = s.root.Update(msg)
	}
	wait := s.renderer.wait()
	switch {
	case wait <= 0:
		s.renderer.show(s.root.View())
	case !s.due:
		s.due = true
		return s, tea.Batch(cmd, tea.Tick(wait, func(time.Time) tea.Msg { return frameMsg{} }))
	}
	return s, cmd
}

// View is tea.Model's; Bubble Tea itself draws nothing.
func (s *screen) View() tea.View { return tea.View{} }
