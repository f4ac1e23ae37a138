package tui

import (
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// frameGap is the least time between two frames: keys that are held down and
// news that come in a stream are drawn together.
const frameGap = 50 * time.Millisecond

// paper is the terminal that frames are written to. Bubble Tea's own renderer
// looks at a fixed rate whether there is something to write: each look wakes
// the machine, and a key waits for the next one. Paper is written to when a
// frame differs, and then only where it does.
type paper struct {
	in    *os.File
	taken bool        // between open and close
	found *term.State // of the terminal, before it was made raw; nil: not raw
	scr   *uv.TerminalScreen
	query bool     // whether the terminal may be asked what it can
	w, h  int      // of scr
	shown []string // lines of the last frame; nil: nothing is there
	mouse tea.MouseMode
	at    time.Time // of the last frame
}

func newPaper(in *os.File, out io.Writer, environ []string, colours colorprofile.Profile) *paper {
	p := &paper{in: in, scr: uv.NewTerminalScreen(out, environ), query: answersQueries(environ)}
	p.scr.SetColorProfile(colours)
	return p
}

// answersQueries tells whether a terminal may be asked for its modes: over SSH
// and on the plainest terminals the answer can come late or as garbage.
func answersQueries(environ []string) bool {
	env := uv.Environ(environ)
	return env.Getenv("SSH_TTY") == "" && env.Getenv("TERM") != "linux" && env.Getenv("TERM") != "dumb"
}

// open takes the terminal: raw keys, a screen of its own, no cursor. What it
// changes close takes back.
func (p *paper) open() error {
	if term.IsTerminal(p.in.Fd()) {
		found, err := term.MakeRaw(p.in.Fd())
		if err != nil {
			return err
		}
		p.found = found
	}
	p.scr.EnterAltScreen()
	p.scr.EnableBracketedPaste()
	_, _ = p.scr.WriteString(ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes))
	if p.query {
		_, _ = p.scr.WriteString(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore)
	}
	p.taken, p.mouse = true, tea.MouseModeNone
	p.resize(p.w, p.h) // whatever stands there is not ours
	return p.scr.Flush()
}

func (p *paper) close() {
	if !p.taken {
		return
	}
	p.taken = false
	_, _ = p.scr.WriteString(ansi.PopKittyKeyboard(1))
	p.scr.Reset()
	_ = p.scr.Flush()
	if p.found != nil {
		_ = term.Restore(p.in.Fd(), p.found)
		p.found = nil
	}
}

// aside gives the terminal back while something else asks there.
func (p *paper) aside(ask func() error) error {
	p.close()
	err := ask()
	if openErr := p.open(); err == nil {
		err = openErr
	}
	return err
}

func (p *paper) resize(w, h int) {
	p.w, p.h, p.shown = w, h, nil
	p.scr.Resize(w, h)
}

// heard takes what the terminal says of itself.
func (p *paper) heard(m tea.ModeReportMsg) {
	switch {
	case m.Mode == ansi.ModeSynchronizedOutput && m.Value == ansi.ModeReset:
		p.scr.SetSynchronizedUpdates(true)
	case m.Mode == ansi.ModeUnicodeCore && (m.Value.IsSet() || m.Value == ansi.ModeReset):
		_, _ = p.scr.WriteString(ansi.SetModeUnicodeCore)
		p.scr.SetWidthMethod(ansi.GraphemeWidth)
		p.shown = nil
	}
}

// wait is how long it takes until the next frame may be written.
func (p *paper) wait() time.Duration { return frameGap - time.Since(p.at) }

// show writes what is new in a frame.
func (p *paper) show(v tea.View) {
	lines := strings.Split(v.Content, "\n")
	changed := p.shown == nil
	for y := range p.h {
		line := ""
		if y < len(lines) {
			line = lines[y]
		}
		if p.shown == nil || y >= len(p.shown) || p.shown[y] != line {
			uv.NewStyledString(line).Draw(p.scr, uv.Rect(0, y, p.w, 1))
			changed = true
		}
	}
	p.shown = lines
	if v.WindowTitle != p.scr.WindowTitle() {
		p.scr.SetWindowTitle(v.WindowTitle)
		changed = true
	}
	if v.MouseMode != p.mouse {
		p.mouse, changed = v.MouseMode, true
		p.setMouse()
	}
	if !changed {
		return
	}
	if strings.TrimSpace(ansi.Strip(lines[len(lines)-1])) == "" {
		// Ultraviolet erases the line above blank ones at the foot too, and
		// draws it again only where it has changed. Pages have a last line;
		// the smallest windows may not.
		p.scr.Resize(p.w, p.h)
	}
	p.at = time.Now()
	p.scr.Render()
	_ = p.scr.Flush()
}

func (p *paper) setMouse() {
	if p.mouse == tea.MouseModeNone {
		p.scr.SetMouseMode(uv.MouseModeNone)
		p.scr.SetMouseEncoding(uv.MouseEncodingLegacy)
		return
	}
	p.scr.SetMouseMode(uv.MouseModeDrag)
	p.scr.SetMouseEncoding(uv.MouseEncodingSGR)
}

// copy puts text on the clipboard of whoever sits at the terminal (OSC 52).
func (p *paper) copy(text string) {
	_, _ = p.scr.WriteString(ansi.SetSystemClipboard(text))
	_ = p.scr.Flush()
}

// stage shows the root model on paper.
type stage struct {
	*root
	paper *paper
	due   bool // a frame waits for its time
}

// frameMsg: the time of a frame has come.
type frameMsg struct{}

// clipMsg carries what the user copies.
type clipMsg string

// Update is tea.Model's: the root model's, and the frame that follows.
func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case frameMsg:
		s.due = false
	case clipMsg:
		s.paper.copy(string(msg))
	case tea.ModeReportMsg:
		s.paper.heard(msg)
	case tea.WindowSizeMsg:
		s.paper.resize(msg.Width, msg.Height)
		_, cmd = s.root.Update(msg)
	default:
		_, cmd = s.root.Update(msg)
	}
	wait := s.paper.wait()
	switch {
	case wait <= 0:
		s.paper.show(s.root.View())
	case !s.due:
		s.due = true
		return s, tea.Batch(cmd, tea.Tick(wait, func(time.Time) tea.Msg { return frameMsg{} }))
	}
	return s, cmd
}

// View is tea.Model's; Bubble Tea itself draws nothing.
func (s *stage) View() tea.View { return tea.View{} }
