package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/tui/session/measure"
	"jtune/tui/session/task"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := fileOf(stream)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// fileOf returns the file that a stream writes to; ok is false if it is none.
func fileOf(stream any) (f *os.File, ok bool) {
	if w, plain := stream.(*text.PlainWriter); plain {
		stream = w.To
	}
	f, ok = stream.(*os.File)
	return f, ok
}

// columnsOf returns the present width of a terminal, a plain one's if it does not say; 0 if the stream is none.
func columnsOf(stream io.Writer) int {
	f, ok := fileOf(stream)
	if !ok {
		return report.Columns(stream)
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0:
		return helpWidth
	}
	return int(size.Col)
}

// reporter prints a task's progress on standard error: a bar that is redrawn on a terminal, plain lines elsewhere.
type reporter struct {
	w         io.Writer
	bar       bool
	quietRows bool // prints only failed rows
	device    tegra.Device
	pace      task.Pace
	done      int
	barLine   string
	said      map[string]bool // notes that were printed
	drawn     time.Time
}

// redraw is the minimum time between two drawings of the bar.
const redraw = 100 * time.Millisecond

// reporter returns a reporter for a task that starts now.
func (a *app) reporter(d tegra.Device) *reporter {
	r := &reporter{w: a.err, bar: isTerminal(a.err), device: d}
	r.pace.Budget = a.limitCPU()
	r.pace.Compute(true)
	return r
}

// observe handles the events of a task.
func (r *reporter) observe(e measure.Event) {
	r.pace.Observe(e)
	switch e := e.(type) {
	case measure.NoteEvent:
		r.once(fmt.Sprint(e), "")
	case measure.HalvingEvent:
		r.line("%v", e.Halving)
	case measure.ProbeEvent:
		if p := e.Probe; p.Err == nil {
			r.line("%s (%s): %s ms%s, %s W", r.name(p.Mode, p.Batch), p.Why, text.Of(p.TimeMS), p.Setting.PerBatch(),
				text.Of(p.PowerW))
		}
	case measure.ProgressEvent:
		r.progress(e.Progress)
	}
}

func (r *reporter) progress(p profiles.Progress) {
	if p.Row != nil {
		r.done = max(r.done+1, p.Done)
		if !r.quietRows || !p.Row.Status.Usable() {
			r.row(p)
		}
		return
	}
	if p.Line != "" {
		r.once(p.Line, p.Step.Mode.String())
	}
	if r.bar {
		r.draw(fmt.Sprintf("%s %s %s %s%s", bar(r.done, p.Total), r.what(p, p.Step.Setting), p.Phase, minibatches(p),
			newest(p)))
	}
}

// name formats a mode, with its batch size if there are several.
func (r *reporter) name(m tegra.Mode, batch int) string {
	return r.device.Space().Format(m) + text.IfAny(" batch %d", batch)
}

// what names the thing measured: a setting, or an experiment's variant.
func (r *reporter) what(p profiles.Progress, s tegra.Setting) string {
	if p.Step.Variant != nil {
		return p.Step.Variant.Setting
	}
	return r.name(s.Mode, s.Batch)
}

// counted formats a position among all planned steps, if their number is known. A study may add steps that follow from
// its readings.
func counted(done, total int) string {
	if total <= 0 {
		return fmt.Sprint(done)
	}
	return fmt.Sprintf("%d/%d", done, max(done, total))
}

// row prints a finished mode.
func (r *reporter) row(p profiles.Progress) {
	line := fmt.Sprintf("%s  %s  %s", counted(r.done, p.Total), r.what(p, p.Row.Setting), p.Row.Status)
	if p.Row.Status.Usable() {
		if p.Step.Variant == nil || !p.Step.Variant.Idle {
			line += "  " + text.Of(p.Row.TimeMS) + " ms"
		}
		line += "  " + text.Of(p.Row.PowerW) + " W"
	}
	if p.Row.Why != "" {
		line += "  (" + p.Row.Why + ")"
	}
	if p.ETAHi > 0 {
		line += fmt.Sprintf("  %s to %s remaining", units.Span(p.ETALo), units.Span(p.ETAHi))
	}
	r.line("%s", line)
}

func minibatches(p profiles.Progress) string {
	if p.Of == 0 {
		return ""
	}
	return p.Collected(false)
}

// newest formats the newest minibatch time and power.
func newest(p profiles.Progress) string {
	if p.TimeMS <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s ms, %s", text.Of(p.TimeMS), dash(p.PowerW, "%.1f W"))
}

// bar draws the progress; only the count if the total is unknown.
func bar(done, total int) string {
	const width = 20
	if total <= 0 {
		return fmt.Sprintf("[%d]", done)
	}
	full := min(width*done/total, width)
	return fmt.Sprintf("[%s%s] %d/%d", strings.Repeat("#", full), strings.Repeat(".", width-full), done, total)
}

// once prints a note, but not again what it says of a mode: the parts of a task, such as the pairs of a search, have
// the same notes.
func (r *reporter) once(note, mode string) {
	what := strings.TrimPrefix(note, mode+": ")
	if !r.said[what] {
		r.line("%s", note)
	}
	if r.said == nil {
		r.said = map[string]bool{}
	}
	r.said[what] = true
}

// line prints a line above the bar.
func (r *reporter) line(format string, args ...any) {
	r.wipe()
	line := fmt.Sprintf(format, args...)
	if r.bar {
		line = text.FoldRow(line, "  ", cmp.Or(columnsOf(r.w), helpWidth))
	}
	fmt.Fprintln(r.w, line)
}

// draw draws the bar, at most once per redraw.
func (r *reporter) draw(text string) {
	// A bar of two rows could not be wiped.
	if shown, most := []rune(text), cmp.Or(columnsOf(r.w), helpWidth)-1; len(shown) > most {
		text = string(shown[:most-1]) + "…"
	}
	if text == r.barLine || time.Since(r.drawn) < redraw {
		return
	}
	r.wipe()
	fmt.Fprint(r.w, text)
	r.barLine, r.drawn = text, time.Now()
}

// wipe removes the bar.
func (r *reporter) wipe() {
	if r.barLine != "" {
		fmt.Fprintf(r.w, "\r%s\r", strings.Repeat(" ", len([]rune(r.barLine))))
		r.barLine = ""
	}
}
