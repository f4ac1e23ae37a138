package cli

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/tegra"
	"jtune/tui/session"
)

// presetNamePattern matches names that nvpmodel accepts.
var presetNamePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// exportCmd is `jtune lab convert export`.
type exportCmd struct {
	*app
	Name string
}

func newExport(a *app) *cobra.Command {
	c := &exportCmd{app: a}
	return a.command("convert export", func(cmd *cobra.Command, args []string) error {
		return cobra.ExactArgs(1)(cmd, withoutFormat(args))
	}, c.run, c)
}

func (c *exportCmd) check() error {
	if !presetNamePattern.MatchString(c.Name) {
		return usagef("--name %q: want letters, digits and _", c.Name)
	}
	return nil
}

func (c *exportCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		m, err := s.FindMode(ctx, withoutFormat(c.args)[0])
		if err != nil {
			return err
		}
		like, err := c.like(ctx, s, m)
		if err != nil {
			return err
		}
		text, err := s.Sysfs().NVPModelBlockLike(m, c.Name, like)
		if err != nil {
			return err
		}
		b := s.Device.Board()
		if c.asJSON {
			return printJSON(c.out, report.Object{{"name", c.Name}, {"mode", m}, {"block", text}, {"device", b.Name},
				{"virtual", b.Virtual}})
		}
		if mark := tegra.VirtualMark(b.Origin()); mark != "" {
			text = "# " + mark + "\n" + text
		}
		c.asFile = true
		_, err = fmt.Fprint(c.out, text)
		return err
	})
}

// like asks on a terminal whose current limits the mode takes, if the modes that contain it differ in them; absent: the
// nearest one's.
func (c *exportCmd) like(ctx context.Context, s *session.Session, m tegra.Mode) (id tegra.Val[int], err error) {
	list, err := s.Sysfs().CurrentLimits(m)
	if err != nil || len(list) < 2 || !isTerminal(c.in) || !isTerminal(c.err) {
		return id, err
	}
	fmt.Fprintln(c.err, "The modes that contain this one differ in their current limits:")
	for _, t := range list {
		fmt.Fprintf(c.err, "%4d  %s: %s\n", t.ID, t.Name, t.Limits)
	}
	forgetTyped(c.in)
	fmt.Fprintf(c.err, "id of the mode whose limits it takes (%d): ", list[0].ID)
	answer, err := scan(ctx, c.in)(0)
	if answer = strings.TrimSpace(answer); err != nil || answer == "" {
		return id, ctx.Err()
	}
	for _, t := range list {
		if answer == strconv.Itoa(t.ID) {
			return tegra.Some(t.ID), nil
		}
	}
	return id, usagef("%q is none of these ids", answer)
}

// withoutFormat removes the format's name, which earlier versions of `jtune lab convert export MODE` required.
func withoutFormat(args []string) []string {
	if len(args) > 0 && args[0] == "nvpmodel" {
		return args[1:]
	}
	return args
}
