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
	due      bool                         // a frame is scheduled
}

// Largest size of the screens; a larger window shows them in its corner. Each cell takes memory, and a program may set
// its terminal to any size up to 65,535 each way.
const (
	mostColumns = 1000
	mostRows    = 500
)

// frameMsg says that a scheduled frame is due.
type frameMsg struct{}

// Init implements tea.Model. It asks for the size again because the window may have changed during the start.
func (s *screen) Init() tea.Cmd { return tea.Batch(s.root.Init(), s.askSize) }

// askSize reads the terminal's size. Bubble Tea does not do so without its own renderer, and its RequestWindowSize then
// gets no answer.
func (s *screen) askSize() tea.Msg {
	w, h, err := s.size()
	if err != nil {
		return nil
	}
	return tea.WindowSizeMsg{Width: w, Height: h}
}

// Update implements tea.Model: it passes messages to the root model and schedules a frame.
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
		if _, cmd = s.root.Update(msg); other { // an older size may arrive after a newer one
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

// View implements tea.Model; Bubble Tea itself draws nothing.
func (s *screen) View() tea.View { return tea.View{} }
