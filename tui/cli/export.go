package cli

import (
	"context"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/tegra"
	"jtune/tui/session"
)

// presetNamePattern matches names that nvpmodel accepts.
var presetNamePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// exportJSON is the document of `jtune convert export --json`.
type exportJSON struct {
	Name    string     `json:"name"`
	Mode    tegra.Mode `json:"mode"`
	Block   string     `json:"block"` // for nvpmodel.conf
	Device  string     `json:"device"`
	Virtual bool       `json:"virtual"`
}

// exportCmd is `jtune convert export`.
type exportCmd struct {
	*app
	name string
}

func newExport(a *app) *cobra.Command {
	return command(&exportCmd{app: a}, &cobra.Command{
		Use:   "export MODE --name NAME",
		Short: "Print a mode as a POWER_MODEL block for this board's nvpmodel.conf",
		Long: "Prints a mode as a POWER_MODEL block with the next free id, in the parameters of the board's " +
			"nvpmodel.conf. Append it to the list of modes in that file; then sudo nvpmodel -m ID sets it.",
		Args: func(cmd *cobra.Command, args []string) error {
			return cobra.ExactArgs(1)(cmd, withoutFormat(args))
		},
	})
}

func (c *exportCmd) flags(f *pflag.FlagSet) {
	f.StringVar(&c.name, "name", "", "call the mode `NAME`: letters, digits and _")
	c.jsonFlag(f, asDocument)
}

func (c *exportCmd) check() error {
	if !presetNamePattern.MatchString(c.name) {
		return usagef("--name %q: want letters, digits and _", c.name)
	}
	return nil
}

func (c *exportCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		m, err := s.FindMode(ctx, withoutFormat(c.args)[0])
		if err != nil {
			return err
		}
		text, err := s.Sysfs().NVPModelBlock(m, c.name)
		if err != nil {
			return err
		}
		b := s.Device.Board()
		if c.asJSON {
			return printJSON(c.out, exportJSON{c.name, m, text, b.Name, b.Virtual})
		}
		if mark := tegra.VirtualMark(b.Origin()); mark != "" {
			text = "# " + mark + "\n" + text
		}
		_, err = fmt.Fprint(c.out, text)
		return err
	})
}

// withoutFormat removes the format's name, which earlier versions of `jtune convert export MODE` required.
func withoutFormat(args []string) []string {
	if len(args) > 0 && args[0] == "nvpmodel" {
		return args[1:]
	}
	return args
}
