package cli

import (
	"context"

	"github.com/spf13/cobra"

	"jtune/internal/report"
	"jtune/tui/session"
	"jtune/tui/session/workloads"
)

// newWorkloadsAdd makes `jtune workloads add`.
func newWorkloadsAdd(a *app) *cobra.Command {
	var own commandFlags
	return a.command("workloads add", own.args(one, func(cmd *cobra.Command, args []string) error {
		return usagef("workloads add needs the command too, such as: jtune workloads add NAME -- python3 train.py")
	}), func(context.Context) error {
		name := a.args[0]
		if name == "" {
			return usagef("workloads add: the name is empty")
		}
		if err := checkSave(name); err != nil {
			return err
		}
		return a.onDevice(func(s *session.Session) error {
			w, err := own.Workload(s)
			if err != nil {
				return err
			}
			path, err := a.options.SaveWorkload(name, workloads.SaveText(name, w))
			return did(a, err, report.Object{{"name", name}, {"path", path}}, "saved as %s in %s; jtune run %s runs it",
				name, path, name)
		})
	}, own.typed())
}
