package tui

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/hinshun/vt10x"

	"jtune/internal/must"
	"jtune/tui/page/pagetest"
	"jtune/tui/widget"
)

// emulator is a terminal that counts the bytes written to it.
type emulator struct {
	vt10x.Terminal
	writes, bytes int
}

func (e *emulator) Write(b []byte) (int, error) {
	if len(b) > 0 {
		e.writes++
		e.bytes += len(b)
	}
	return e.Terminal.Write(b)
}

// onRenderer opens a renderer on an emulated terminal.
func onRenderer(t *testing.T, w, h int) (*renderer, *emulator) {
	t.Helper()
	in := must.Get(os.Open(os.DevNull))(t)
	t.Cleanup(func() { in.Close() })
	e := &emulator{Terminal: vt10x.New(vt10x.WithSize(w, h))}
	p := newRenderer(in, e, []string{"TERM=xterm-256color"}, colorprofile.ANSI256)
	must.NoError(t, p.open())
	p.resize(w, h)
	return p, e
}

// text returns the emulated terminal's text, without trailing spaces.
func (e *emulator) text() string {
	lines := strings.Split(strings.TrimSuffix(e.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \x00")
	}
	return strings.Join(lines, "\n")
}

func plain(frame string) string {
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestRendererShowsEveryFrameWhateverStoodThere(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	p, e := onRenderer(t, 80, 24)
	parts := []string{"┌─", "─┐", "│ ", "⣿⡇", "12.3 W", "    ", "          ", widget.StyleTitle.Render("Clocks"),
		widget.StyleDim.Render("GHz"), widget.StyleCursor.Render(" 1 Live "), "×max", "…"}
	lines := make([]string, 24)
	for range 500 {
		if rng.IntN(20) == 0 {
			w, h := 10+rng.IntN(120), 4+rng.IntN(40)
			e.Resize(w, h)
			p.resize(w, h)
			lines = make([]string, h)
		}
		for i := range lines {
			if rng.IntN(3) > 0 {
				continue
			}
			var b strings.Builder
			for range rng.IntN(12) {
				b.WriteString(parts[rng.IntN(len(parts))])
			}
			lines[i] = widget.Cut(b.String(), p.w)
		}
		frame := strings.Join(lines, "\n")
		p.show(tea.NewView(frame))
		if got, want := e.text(), plain(frame); got != want {
			t.Fatalf("the terminal of %dx%d shows\n%s\nwant\n%s", p.w, p.h, got, want)
		}
	}
}

func TestRendererWritesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	p, e := onRenderer(t, 80, 24)
	frame := func(watts string) tea.View {
		return tea.NewView(widget.Fit(strings.Repeat(strings.Repeat("x", 80)+"\n", 23)+"total "+watts+" W", 80, 24))
	}
	p.show(frame("41.9"))
	whole, writes := e.bytes, e.writes
	p.show(frame("41.9"))
	must.Equal(t, e.writes, writes, e.writes-writes)
	p.show(frame("42.0"))
	if got := e.bytes - whole; e.writes != writes+1 || got > 20 {
		t.Errorf("three new digits took %d bytes in %d writes", got, e.writes-writes)
	}
}

func TestRendererGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	p, e := onRenderer(t, 80, 24)
	v := tea.NewView("frame")
	v.MouseMode, v.WindowTitle = tea.MouseModeCellMotion, "jtune"
	p.show(v)
	const taken = vt10x.ModeAltScreen | vt10x.ModeMouseMotion
	if e.Mode()&taken == 0 || e.CursorVisible() || e.Title() != "jtune" {
		t.Errorf("taken: mode %b, cursor %v, title %q", e.Mode(), e.CursorVisible(), e.Title())
	}
	err := p.aside(func() error {
		if e.Mode()&(vt10x.ModeAltScreen|vt10x.ModeMouseMask) != 0 || !e.CursorVisible() {
			t.Errorf("given back: mode %b, cursor %v", e.Mode(), e.CursorVisible())
		}
		fmt.Fprint(e, "password: ")
		return nil
	})
	must.NoError(t, err)
	p.show(v)
	if got := e.text(); !strings.HasPrefix(got, "frame\n") || e.Mode()&vt10x.ModeAltScreen == 0 {
		t.Errorf("after that the terminal shows %q, mode %b", got, e.Mode())
	}
	p.close()
	p.close()
	if e.Mode()&(vt10x.ModeAltScreen|vt10x.ModeMouseMask) != 0 || !e.CursorVisible() {
		t.Errorf("at the end: mode %b, cursor %v", e.Mode(), e.CursorVisible())
	}
}

func TestScreenDrawsAFrameAtOnceAndAStreamOfThemTogether(t *testing.T) {
	t.Parallel()
	d := drive(t)
	p, e := onRenderer(t, 80, 24)
	s := &screen{root: d.r, renderer: p, size: func() (int, int, error) { return 80, 24, nil }}
	s.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	p.at = time.Now().Add(-time.Second)
	s.Update(pagetest.Key("6"))
	must.Contain(t, e.text(), "filter")
	p.at = time.Now().Add(time.Hour) // no frame is due
	writes, waiting := e.writes, 0
	for range 10 {
		if _, cmd := s.Update(pagetest.Key("down")); cmd != nil {
			waiting++
		}
	}
	must.Equal(t, e.writes, writes)
	must.Equal(t, waiting, 1)
	p.at = time.Time{}
	s.Update(frameMsg{})
	must.Equal(t, e.text(), plain(s.root.View().Content))
	s.Update(clipMsg("12c/2.20C/1.30G/3.20M"))
	s.Update(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
	if !p.scr.SynchronizedUpdates() {
		t.Error("a terminal that offers synchronized updates is not taken at its word")
	}
}

func TestStyledKeepsStylesAndNothingElseThatCommandsATerminal(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"\x1b[1;38:2:1:2:3mbold\x1b[m ü": "\x1b[1;38:2:1:2:3mbold\x1b[m ü",
		"\x1b[1mX\u009b2J\x1b[0m":        "\x1b[1mX2J\x1b[0m",
		"a\x1b[2Jb\x1b]0;t\ac":           "a2Jb]0;tc",
		"\u202eabc\x7f\x1b[":             "abc",
		"\x1b[31":                        "31",
	} {
		must.Equal(t, styled(line), want, line)
	}
}

// A program may set its terminal to any size: the screens once took hundreds of megabytes and did not end.
func TestScreenOfAnAbsurdWindowIsBounded(t *testing.T) {
	t.Parallel()
	draws(t)
	d := drive(t)
	p, _ := onRenderer(t, 80, 24)
	s := &screen{root: d.r, renderer: p, size: func() (int, int, error) { return 32767, 32767, nil }}
	s.Update(tea.WindowSizeMsg{Width: 32767, Height: 32767})
	must.Equal(t, p.w, mostColumns)
	must.Equal(t, p.h, mostRows)
}

// sizesOf returns the window sizes that a command delivers.
func sizesOf(cmd tea.Cmd) (out []tea.WindowSizeMsg) {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.WindowSizeMsg:
		out = append(out, msg)
	case tea.BatchMsg:
		for _, one := range msg {
			out = append(out, sizesOf(one)...)
		}
	}
	return out
}

func TestScreenHasTheTerminalsSizeWhateverComesFirst(t *testing.T) {
	t.Parallel()
	d := drive(t)
	p, _ := onRenderer(t, 80, 24)
	now := tea.WindowSizeMsg{Width: 120, Height: 35} // the window grew while the program started
	s := &screen{root: d.r, renderer: p, size: func() (int, int, error) { return now.Width, now.Height, nil }}
	if got := sizesOf(s.Init()); len(got) != 1 || got[0] != now {
		t.Fatalf("at the start it learns of the sizes %v", got)
	}
	s.Update(now)
	_, cmd := s.Update(tea.WindowSizeMsg{Width: 80, Height: 24}) // an old size that arrives late
	for _, got := range sizesOf(cmd) {
		s.Update(got)
	}
	if p.w != 120 || p.h != 35 || d.r.w != 120 {
		t.Errorf("it draws %d×%d in a window of 120×35", p.w, p.h)
	}
	if _, cmd := s.Update(now); len(sizesOf(cmd)) != 0 {
		t.Error("the size is requested again although it is known")
	}
}
