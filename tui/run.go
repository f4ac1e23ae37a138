package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"jtune/internal/caller"
	"jtune/internal/cpubudget"
	"jtune/internal/terminput"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/dialog"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/fleet"
	"jtune/tui/session/handover"
	"jtune/tui/session/readiness"
	"jtune/tui/session/search"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
	"jtune/tui/widget"
)

// ErrTerminalGone means that the terminal was closed while the program ran. Jobs have ended, and closing the session
// restores the board.
var ErrTerminalGone = errors.New("the terminal is gone")

// OtherBoard is the error with which Run ends when the user chose another virtual board.
type OtherBoard struct{ Name string }

func (o *OtherBoard) Error() string { return "the board " + o.Name + " was chosen" }

// Options configures the screens. The zero value follows the environment.
type Options struct {
	NoColor bool                // also if NO_COLOR is set
	Glyphs  widget.Glyphs       // to draw with
	Theme   widget.Theme        // colours
	Version string              // of the program, for the help
	Boards  []string            // virtual boards to choose from; nil: no choice
	Named   bool                // the user named the board: the line of boards is not shown
	Keys    map[string][]string // the user's key bindings
	Budget  *cpubudget.Budget   // CPU budget of computations; nil: not limited
	Panes   *fleet.Panes        // screens of other boards; nil: there are no other boards
	Pane    string              // the name of this board if another machine shows these screens; "": none does
	// Handover holds the commands that a report offers to copy.
	Handover handover.Commands
	Tour     float64 // plays Tour with pauses divided by this; 0: no tour
}

// goodbye is how long a task may take to restore the board at the end.
const goodbye = 20 * time.Second

// Run shows the screens until the user quits, ctx ends or the terminal is closed. All its tasks have ended when it
// returns. The caller closes the session, which restores what was not kept, and then prints the farewell, a line or "".
func Run(ctx context.Context, s *session.Session, o Options) (farewell string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	keys, action, err := page.KeysWith(o.Keys)
	if err != nil {
		return "", fmt.Errorf("key of %s: %w", action, err)
	}
	d := depsOf(s, o)
	d.state.Keys = keys
	colours := d.state.Look.Glyphs.Profile(os.Environ(), o.NoColor || os.Getenv("NO_COLOR") != "")
	d.sixteen, d.state.Look.Colourless = colours == colorprofile.ANSI, colours == colorprofile.Ascii
	d.theme, d.light = o.Theme, widget.LightByEnv(os.Getenv)
	out := &countedOutput{File: os.Stdout}
	r := newRenderer(os.Stdin, out, os.Environ(), colours)
	r.asksGround = o.Theme.Asks() && colours > colorprofile.Ascii && os.Getenv("TERM") != "linux"
	d.aside = r.aside
	st := &screen{root: newRoot(ctx, d), renderer: r, size: func() (int, int, error) { return term.GetSize(out.Fd()) }}
	if o.Tour > 0 {
		st.beginTour(o.Tour)
	}
	st.boards, st.pressed = o.Boards, o.Named
	st.sh.Readings.Take(d.first())
	if st.sh.control, err = control.Serve(s); err != nil {
		st.sh.say("what runs here cannot be paused from another jtune: %v", err)
	}
	defer st.sh.control.Close()
	w, h, err := st.size()
	if err == nil {
		err = r.open()
	}
	if err != nil {
		return "", fmt.Errorf("take the terminal: %w", err)
	}
	defer r.close()
	st.Update(tea.WindowSizeMsg{Width: w, Height: h})
	st.watch = d.watch(out.written.Load)
	defer st.watch.Stop()

	in := &guardedInput{File: os.Stdin, gone: make(chan struct{})}
	p := tea.NewProgram(st, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithColorProfile(colours),
		tea.WithoutRenderer(), tea.WithWindowSize(w, h), tea.WithFPS(1), tea.WithoutSignalHandler())
	gone := watchTerminal(ctx, p, st.askSize, in.gone)
	_, err = p.Run()
	r.close()
	st.sh.panes.Close()
	st.end()
	switch {
	case gone():
		return "", ErrTerminalGone
	case errors.Is(err, tea.ErrInterrupted), errors.Is(err, context.Canceled):
		err = context.Canceled
	case errors.Is(err, tea.ErrProgramPanic):
		err = fmt.Errorf("%w: run again with TEA_DEBUG=1 to write the stack to a file here", err)
	}
	if err == nil && st.chosen != "" {
		return "", &OtherBoard{st.chosen}
	}
	return st.farewell(s.Device), err
}

// farewell returns what to print at the end: the mode that was set, and an interrupted search.
func (r *root) farewell(d tegra.Device) string {
	var cut *task.Interrupted
	if j := r.sh.task; j != nil && j.run != nil && j.run.Now().Stopped {
		if at := r.sh.campaigns.Interrupted(); at != nil && at.Workload.Name == j.Workload.Name {
			cut = at
		}
	}
	return widget.Wrap(task.Farewell(r.sh.Applied, cut, d), r.w)
}

func depsOf(s *session.Session, o Options) deps {
	on := board{task.Board{Session: s, Jobs: workloads.JobsOf(s)}, o.Handover}
	d := deps{
		host:         on,
		state:        page.NewState(s.Device, on, s.Clock),
		device:       s.Device,
		sampler:      s.Sampler,
		files:        s.FS(),
		budget:       o.Budget,
		notice:       s.Notice,
		tried:        dialog.AskToKeep(s),
		version:      o.Version,
		seed:         s.Seed,
		campaigns:    task.CampaignsOf(s),
		panes:        o.Panes,
		pane:         o.Pane,
		fixedBatch:   func(w workload.Workload) string { return workloads.FixedBatch(s, w) },
		remembered:   func(c search.Form) error { return search.KeepForm(s, c) },
		gpuProcesses: s.Sysfs().GPUProcesses,
	}
	st := &d.state
	st.Device.ReadOnly, st.Device.Block = s.ReadOnly, s.Sysfs().NVPModelBlock
	st.Work = page.Work{Preferred: s.Options.Workload, Sizes: workloads.Sizes(s), Choice: search.LastForm(s),
		Jobs: &page.Jobs{Look: func(ctx context.Context) (map[string]string, error) { return readiness.Lacks(ctx, s) }}}
	st.Goal = st.Work.Choice.First()
	if st.Look.Glyphs = o.Glyphs; o.Glyphs == widget.GlyphsAuto {
		st.Look.Glyphs = widget.GlyphsOf(os.Getenv)
	}
	if !s.Introduced() {
		d.introduced = s.SetIntroduced
	}
	if s.Virtual != nil {
		st.Device.Rate, st.Device.Paced = s.Virtual.Clock(), s.Speed > 0
	}
	root := s.Sysroot == "" || s.Sysroot == "/"
	d.sudo = s.Virtual == nil && root && !caller.Root()
	return d
}

// end stops what runs and waits until it has restored the board.
func (r *root) end() {
	for _, j := range r.sh.running() {
		j.stop()
		select {
		case <-j.run.Ended():
		case <-time.After(goodbye):
		}
	}
}

// watchTerminal sends the program its terminal's size on each change, and ends it when the terminal is closed: on
// SIGHUP, or when reading standard input ends or fails (a closed terminal with SIGHUP ignored). Other signals end ctx.
// Bubble Tea handles no signals, because it can wait for ever for a loop that ctx has ended.
func watchTerminal(ctx context.Context, p *tea.Program, size tea.Cmd, eof <-chan struct{}) (gone func() bool) {
	hup, winch := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	signal.Notify(winch, syscall.SIGWINCH)
	lost := make(chan struct{})
	go func() {
		defer signal.Stop(hup)
		defer signal.Stop(winch)
		for {
			select {
			case <-winch:
				if now := size(); now != nil {
					p.Send(now)
				}
				continue
			case <-hup:
			case <-eof:
			case <-ctx.Done():
				return
			}
			close(lost)
			p.Kill()
			return
		}
	}()
	return func() bool {
		select {
		case <-lost:
			return true
		default:
			return false
		}
	}
}

// guardedInput is standard input within the bounds of terminput. It reports end of file.
type guardedInput struct {
	*os.File
	gone  chan struct{}
	told  bool
	bound terminput.Bound
}

// Read implements io.Reader. It returns 0 bytes if nothing may pass: waiting for more could not be cancelled.
func (g *guardedInput) Read(b []byte) (int, error) {
	n, err := g.File.Read(b)
	soon := errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.EAGAIN)
	if err != nil && !g.told && !soon {
		g.told = true
		close(g.gone)
	}
	return len(g.bound.Cut(b[:max(n, 0)])), err
}

// countedOutput is standard output that counts the bytes written.
type countedOutput struct {
	*os.File
	written atomic.Int64
}

func (o *countedOutput) Write(b []byte) (n int, err error) {
	defer func() { o.written.Add(int64(n)) }()
	return o.File.Write(b)
}

// WriteString implements io.StringWriter: the embedded os.File's would not be counted.
func (o *countedOutput) WriteString(s string) (int, error) { return o.Write([]byte(s)) }
