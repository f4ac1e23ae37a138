package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"jtune/tegra/guard"
	"jtune/tui/session"
)

// guard is the privileged side. Main starts it without coming by here; this is
// for tests, which call Run.
func (a *app) guard() *cobra.Command {
	return &cobra.Command{
		Use:                "guard",
		Short:              "Internal: the privileged side, which jtune starts by itself",
		Hidden:             true,
		DisableFlagParsing: true,
		PersistentPreRunE:  func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			if code := guard.Main(cmd.Context(), args); code != exitOK {
				return exitError(code)
			}
			return nil
		},
	}
}

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "jtune %s (%s, %s, %s/%s)\n", session.Version, revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// revision is the commit that the program was built from, as far as the
// toolchain recorded it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "revision not known"
	}
	rev, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if rev == "" {
		return "revision not known"
	}
	return rev + dirty
}
