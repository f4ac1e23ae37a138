package cli

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"jtune/tegra"
	"jtune/tui/session"
)

func (a *app) export() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export nvpmodel",
		Short: "Print a mode in NVIDIA's format",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return usagef("export needs a format: jtune export nvpmodel MODE --name NAME")
		},
	}
	cmd.AddCommand(a.exportNvpmodel())
	return cmd
}

// presetNamePattern is what nvpmodel takes for a name.
var presetNamePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,64}$`)

func (a *app) exportNvpmodel() *cobra.Command {
	name := ""
	cmd := &cobra.Command{
		Use:   "nvpmodel MODE --name NAME",
		Short: "Print a POWER_MODEL block for this board's nvpmodel.conf",
		Long: "Prints a mode as a POWER_MODEL block with the next free id. Append it to the list of modes in the " +
			"board's\n" +
			"nvpmodel.conf, whose parameters it uses; then sudo nvpmodel -m ID sets it.",
		Args: takes(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "" {
				return usagef("export nvpmodel: --name NAME is missing: the name of the mode")
			}
			if !presetNamePattern.MatchString(name) {
				return usagef("--name %q: want letters, digits and _", name)
			}
			return a.onDevice(func(s *session.Session) error {
				m, err := s.FindMode(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				text, err := s.Sysfs().NVPModelBlock(m, name)
				if err != nil {
					return err
				}
				if mark := tegra.VirtualMark(s.Device.Board().Origin()); mark != "" {
					text = "# " + mark + "\n" + text
				}
				_, err = fmt.Fprint(a.out, text)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` of the mode: letters, digits and _")
	return cmd
}
