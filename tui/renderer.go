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

	"jtune/internal/text"
)

// frameGap is the minimum time between two frames, so that repeated keys and streamed messages share a drawing.
const frameGap = 50 * time.Millisecond

// renderer writes only the changed parts of changed frames to the terminal. Bubble Tea's own renderer polls at a fixed
// rate; docs/decisions/001-own-renderer.md has what that costs.
type renderer struct {
	in    *os.File
	taken bool        // between open and close
	found *term.State // state of the terminal before raw mode; nil: not raw
	scr   *uv.TerminalScreen
	query bool // the terminal may be asked for its modes
	// asksGround: ask the terminal for its background once. The first frame does not wait for the answer; it is redrawn
	// in other colours if the background is light.
	asksGround bool
	w, h       int      // of scr
	shown      []string // lines of the last frame; nil: none
	mouse      tea.MouseMode
	at         time.Time // of the last frame
}

func newRenderer(in *os.File, out io.Writer, environ []string, colours colorprofile.Profile) *renderer {
	r := &renderer{in: in, scr: uv.NewTerminalScreen(out, environ), query: answersQueries(environ)}
	r.scr.SetColorProfile(colours)
	return r
}

// answersQueries reports whether a terminal may be asked for its modes: over SSH and on the simplest terminals the
// answer can be late or garbage.
func answersQueries(environ []string) bool {
	env := uv.Environ(environ)
	return env.Getenv("SSH_TTY") == "" && env.Getenv("TERM") != "linux" && env.Getenv("TERM") != "dumb"
}

// open sets up the terminal: raw mode, alternate screen, no cursor. close undoes it.
func (r *renderer) open() error {
	if term.IsTerminal(r.in.Fd()) {
		found, err := term.MakeRaw(r.in.Fd())
		if err != nil {
			return err
		}
		r.found = found
	}
	r.scr.EnterAltScreen()
	r.scr.EnableBracketedPaste()
	_, _ = r.scr.WriteString(ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes))
	if r.query {
		_, _ = r.scr.WriteString(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore)
	}
	if r.asksGround {
		r.asksGround = false
		_, _ = r.scr.WriteString(ansi.RequestBackgroundColor)
	}
	r.taken, r.mouse = true, tea.MouseModeNone
	r.resize(r.w, r.h) // redraw everything
	return r.scr.Flush()
}

func (r *renderer) close() {
	if !r.taken {
		return
	}
	r.taken = false
	_, _ = r.scr.WriteString(ansi.PopKittyKeyboard(1))
	r.scr.Reset()
	_ = r.scr.Flush()
	if r.found != nil {
		_ = term.Restore(r.in.Fd(), r.found)
		r.found = nil
	}
}

// aside releases the terminal while ask uses it.
func (r *renderer) aside(ask func() error) error {
	r.close()
	err := ask()
	if openErr := r.open(); err == nil {
		err = openErr
	}
	return err
}

func (r *renderer) resize(w, h int) {
	r.w, r.h, r.shown = w, h, nil
	r.scr.Resize(w, h)
}

// report handles the terminal's report on a mode.
func (r *renderer) report(m tea.ModeReportMsg) {
	switch {
	case m.Mode == ansi.ModeSynchronizedOutput && m.Value == ansi.ModeReset:
		r.scr.SetSynchronizedUpdates(true)
	case m.Mode == ansi.ModeUnicodeCore && (m.Value.IsSet() || m.Value == ansi.ModeReset):
		_, _ = r.scr.WriteString(ansi.SetModeUnicodeCore)
		r.scr.SetWidthMethod(ansi.GraphemeWidth)
		r.shown = nil
	}
}

// wait returns how long the next frame must wait.
func (r *renderer) wait() time.Duration { return frameGap - time.Since(r.at) }

// show writes the changed parts of a frame.
func (r *renderer) show(v tea.View) {
	lines := strings.Split(v.Content, "\n")
	changed := r.shown == nil
	for y := range r.h {
		line := ""
		if y < len(lines) {
			line = lines[y]
		}
		if r.shown == nil || y >= len(r.shown) || r.shown[y] != line {
			uv.NewStyledString(styled(line)).Draw(r.scr, uv.Rect(0, y, r.w, 1))
			changed = true
		}
	}
	r.shown = lines
	if v.WindowTitle != r.scr.WindowTitle() {
		r.scr.SetWindowTitle(v.WindowTitle)
		changed = true
	}
	if v.MouseMode != r.mouse {
		r.mouse, changed = v.MouseMode, true
		r.setMouse()
	}
	if !changed {
		return
	}
	if strings.TrimSpace(ansi.Strip(lines[len(lines)-1])) == "" {
		// Ultraviolet also erases the line above trailing blank lines and redraws it only if it has changed. Pages have
		// a last line; the smallest windows may not.
		r.scr.Resize(r.w, r.h)
	}
	r.at = time.Now()
	r.scr.Render()
	_ = r.scr.Flush()
}

// styled removes everything but text and style sequences from a line: other sequences came in with foreign text.
func styled(line string) string {
	if text.Plain(line) == line {
		return line
	}
	var b strings.Builder
	for i, part := range strings.Split(line, "\x1b[") {
		if n := strings.IndexFunc(part, func(r rune) bool { return !strings.ContainsRune("0123456789;:", r) }); i > 0 &&
			n >= 0 && part[n] == 'm' {
			b.WriteString("\x1b[" + part[:n+1])
			part = part[n+1:]
		}
		b.WriteString(text.Plain(part))
	}
	return b.String()
}

func (r *renderer) setMouse() {
	if r.mouse == tea.MouseModeNone {
		r.scr.SetMouseMode(uv.MouseModeNone)
		r.scr.SetMouseEncoding(uv.MouseEncodingLegacy)
		return
	}
	r.scr.SetMouseMode(uv.MouseModeDrag)
	r.scr.SetMouseEncoding(uv.MouseEncodingSGR)
}

// copy puts text on the clipboard of the terminal's user (OSC 52).
func (r *renderer) copy(text string) {
	_, _ = r.scr.WriteString(ansi.SetSystemClipboard(text))
	_ = r.scr.Flush()
}
