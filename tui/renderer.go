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

// frameGap is the least time between two frames: keys that are held down and
// messages that come in a stream are drawn together.
const frameGap = 50 * time.Millisecond

// renderer writes frames to the terminal: when a frame differs, and then only
// where it does. Bubble Tea's own renderer looks at a fixed rate whether there
// is something to write; docs/decisions/001-own-renderer.md has what that costs.
type renderer struct {
	in    *os.File
	taken bool        // between open and close
	found *term.State // of the terminal, before it was made raw; nil: not raw
	scr   *uv.TerminalScreen
	query bool // whether the terminal may be asked what it can
	// asksGround: the program asks the terminal for its background once. Nobody waits for the answer: the first frame
	// is drawn before, and drawn again in other colours where the background is light.
	asksGround bool
	w, h       int      // of scr
	shown      []string // lines of the last frame; nil: nothing is there
	mouse      tea.MouseMode
	at         time.Time // of the last frame
}

func newRenderer(in *os.File, out io.Writer, environ []string, colours colorprofile.Profile) *renderer {
	r := &renderer{in: in, scr: uv.NewTerminalScreen(out, environ), query: answersQueries(environ)}
	r.scr.SetColorProfile(colours)
	return r
}

// answersQueries reports whether a terminal may be asked for its modes: over SSH
// and on the plainest terminals the answer can come late or as garbage.
func answersQueries(environ []string) bool {
	env := uv.Environ(environ)
	return env.Getenv("SSH_TTY") == "" && env.Getenv("TERM") != "linux" && env.Getenv("TERM") != "dumb"
}

// open takes the terminal: raw keys, a screen of its own, no cursor. What it
// changes close takes back.
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
	r.resize(r.w, r.h) // anything there is not ours
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

// aside releases the terminal while something else asks there.
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

// report takes what the terminal says of itself.
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

// wait is how long it takes until the next frame may be written.
func (r *renderer) wait() time.Duration { return frameGap - time.Since(r.at) }

// show writes what is new in a frame.
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
		// Ultraviolet erases the line above blank ones at the foot too, and
		// draws it again only where it has changed. Pages have a last line;
		// the smallest windows may not.
		r.scr.Resize(r.w, r.h)
	}
	r.at = time.Now()
	r.scr.Render()
	_ = r.scr.Flush()
}

// styled leaves nothing in a line but text and the sequences that style it: anything else came with a text from
// outside.
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

// copy puts text on the clipboard of whoever sits at the terminal (OSC 52).
func (r *renderer) copy(text string) {
	_, _ = r.scr.WriteString(ansi.SetSystemClipboard(text))
	_ = r.scr.Flush()
}
