package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/tui/session"
)

func newVersion(a *app) *cobra.Command {
	return a.command("version", nil, func(context.Context) error {
		return did(a, nil, report.Object{{"version", session.Version}, {"revision", revision()},
			{"go", runtime.Version()}, {"os", runtime.GOOS}, {"arch", runtime.GOARCH}}, "%s", versionLine())
	})
}

// versionLine is what version and --version print.
func versionLine() string {
	return fmt.Sprintf("jtune %s (%s, %s, %s/%s)", session.Version, revision(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}

// revision returns the commit and day of the build, as far as the toolchain recorded them.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "revision unknown"
	}
	return revisionOf(info)
}

func revisionOf(info *debug.BuildInfo) string {
	rev, dirty, when := "", "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			rev = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		case s.Key == "vcs.time" && len(s.Value) >= len(time.DateOnly):
			when = " of " + s.Value[:len(time.DateOnly)]
		}
	}
	if rev == "" {
		return "revision unknown"
	}
	return rev + dirty + when
}
