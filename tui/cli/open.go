package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tegra/virtual"
	"jtune/tui"
	"jtune/tui/session"
	"jtune/tui/session/fleet"
	"jtune/tui/widget"
)

// open runs jtune without a command: the full-screen tuner on a terminal, otherwise one reading as text.
func (a *app) open(cmd *cobra.Command) error {
	glyphs, err := widget.ParseGlyphs(a.glyphs)
	if err != nil {
		return usagef("--%v", err)
	}
	bindings, err := keyBindings(a.options)
	if err != nil {
		return err
	}
	if a.tour > 0 {
		bindings = nil // the tour presses the built-in keys
	}
	colours, err := theme(a.options)
	if err != nil {
		return err
	}
	s, err := session.Open(a.options)
	if err != nil {
		return err
	}
	defer s.Close()
	if isTerminal(a.in) && isTerminal(a.out) {
		return a.shell(cmd, s, tui.Options{Glyphs: glyphs, Theme: colours, Keys: bindings,
			Handover: reportCommands})
	}
	a.notice(s)
	if err := warmUp(cmd.Context(), s); err != nil {
		return err
	}
	r, err := s.Sampler.Read()
	if err != nil {
		return err
	}
	name := tegra.NameNow(s.Device, r.Reading)
	fmt.Fprintln(a.out, strings.TrimSpace(readingLine(s.Device.Board(), r.Reading, name)))
	a.note("not a terminal: printed one reading. See jtune watch, tune, profile and apply; jtune help lists all " +
		"commands")
	return nil
}

// shell runs the full-screen tuner, and starts it again when the user switches to another virtual board.
func (a *app) shell(cmd *cobra.Command, s *session.Session, o tui.Options) error {
	if s.Virtual != nil && !s.Replays() && a.tour == 0 {
		o.Boards, o.Named = virtual.Names(), a.options.Device != "auto"
	}
	others, err := a.options.Boards()
	if err != nil {
		return err
	}
	o.Panes, o.Pane = &fleet.Panes{Boards: others}, fleet.PaneName()
	o.NoColor = a.noColor || os.Getenv("NO_COLOR") != ""
	o.Version, o.Budget, o.Tour = session.Version, a.limitCPU(), a.tour
	farewell, err := tui.Run(cmd.Context(), s, o)
	if err := s.Close(); err != nil { // restores what was not kept
		a.note("%v", err)
	}
	if farewell != "" {
		fmt.Fprintln(a.out, "jtune:", farewell)
	}
	if other, ok := errors.AsType[*tui.OtherBoard](err); ok {
		a.options.Device = "virtual:" + other.Name
		return a.open(cmd)
	}
	return err
}
