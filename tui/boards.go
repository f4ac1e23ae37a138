package tui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/muesli/cancelreader"

	"jtune/tui/page/dialog"
	"jtune/tui/session/fleet"
)

// openBoards lists the boards. Screens shown by another machine hand the terminal back instead: the list is on that
// machine.
func (r *root) openBoards() tea.Cmd {
	sh := r.sh
	switch {
	case r.apply.Stage() == dialog.Keeping:
		sh.say("boards: not now, answer whether the mode is kept")
	case sh.pane != "":
		back := func() error { return fleet.HandBack(os.Stdin, os.Stdout) }
		return sh.lend("boards", back, func() {})
	case len(sh.panes.Boards) == 0:
		sh.say(`no other board is configured: add [board.NAME] with ssh = "user@host"`)
	default:
		r.listBoards("")
	}
	return nil
}

// listBoards opens the list with the cursor on the board named at.
func (r *root) listBoards(at string) {
	here := dialog.OtherBoard{Name: "here", Where: r.sh.Device.Board.Name, State: "shown"}
	var others []dialog.OtherBoard
	for _, b := range r.sh.panes.Boards {
		others = append(others, dialog.OtherBoard{Name: b.Name, Where: b.SSH, State: r.sh.panes.State(b.Name)})
	}
	r.over(dialog.NewBoardList(r.sh.Keys, here, others, at))
}

// showBoard hands the terminal to another board's screens, then lists the boards again. Local jobs keep running.
func (r *root) showBoard(name string) tea.Cmd {
	sh := r.sh
	return sh.lend(name, func() error { return attach(sh.ctx, sh.panes, name) }, func() { r.listBoards(name) })
}

// resetTerminal resets the terminal modes that screens leave set when the connection is lost.
var resetTerminal = ansi.ResetModeMouseNormal + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent +
	ansi.ResetModeMouseExtSgr + ansi.ResetModeBracketedPaste + ansi.PopKittyKeyboard(1) +
	ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable

// attach connects this terminal to a board's screens until they hand it back.
func attach(ctx context.Context, panes *fleet.Panes, name string) error {
	found, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(os.Stdin.Fd(), found) }()
	in, err := cancelreader.NewReader(os.Stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = panes.Show(ctx, name, in, os.Stdout, terminalSizes(ctx))
	if errors.Is(err, fleet.ErrLost) {
		_, _ = os.Stdout.WriteString(resetTerminal)
	}
	return err
}

// terminalSizes sends the size of this terminal at once and on each change, until ctx ends.
func terminalSizes(ctx context.Context) <-chan fleet.Size {
	sizes, changed := make(chan fleet.Size), make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		defer signal.Stop(changed)
		for {
			if w, h, err := term.GetSize(os.Stdout.Fd()); err == nil {
				select {
				case sizes <- fleet.Size{W: w, H: h}:
				case <-ctx.Done():
					return
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return sizes
}

// whyOpenBoards says what quitting ends on other boards; "" if nothing.
func (sh *shared) whyOpenBoards() string {
	names := sh.panes.Open()
	if len(names) == 0 {
		return ""
	}
	return "quitting ends the screens of " + strings.Join(names, ", ") + " too: what was not kept there is restored"
}
