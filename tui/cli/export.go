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

func newExport(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:   "export nvpmodel",
		Short: "Print a mode in NVIDIA's format",
	}, "jtune export nvpmodel MODE --name NAME", newExportNvpmodel(a))
}

// presetNamePattern is what nvpmodel takes for a name.
var presetNamePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

// exportNvpmodelCmd is `jtune export nvpmodel`.
type exportNvpmodelCmd struct {
	*app
	name string
}

func newExportNvpmodel(a *app) *cobra.Command {
	return command(&exportNvpmodelCmd{app: a}, &cobra.Command{
		Use:   "nvpmodel MODE --name NAME",
		Short: "Print a POWER_MODEL block for this board's nvpmodel.conf",
		Long: "Prints a mode as a POWER_MODEL block with the next free id. Append it to the list of modes in the " +
			"board's\n" +
			"nvpmodel.conf, whose parameters it uses; then sudo nvpmodel -m ID sets it.",
		Args: cobra.ExactArgs(1),
	})
}

func (c *exportNvpmodelCmd) flags(f *pflag.FlagSet) {
	f.StringVar(&c.name, "name", "", "`NAME` of the mode: letters, digits and _")
}

func (c *exportNvpmodelCmd) check() error {
	if !presetNamePattern.MatchString(c.name) {
		return usagef("--name %q: want letters, digits and _", c.name)
	}
	return nil
}

func (c *exportNvpmodelCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		m, err := s.FindMode(ctx, c.args[0])
		if err != nil {
			return err
		}
		text, err := s.Sysfs().NVPModelBlock(m, c.name)
		if err != nil {
			return err
		}
		if mark := tegra.VirtualMark(s.Device.Board().Origin()); mark != "" {
			text = "# " + mark + "\n" + text
		}
		_, err = fmt.Fprint(c.out, text)
		return err
	})
}
