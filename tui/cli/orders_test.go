package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/control"
	"jtune/tui/session/task"
)

// TestOrdersOfAnotherProgramReachExperimentsAndVerification pauses and stops each of them from this process, like the
// screens of a second jtune.
func TestOrdersOfAnotherProgramReachExperimentsAndVerification(t *testing.T) {
	t.Parallel()
	computes(t)
	samples, model := sampleFile(t, 12), filepath.Join(t.TempDir(), "m.model")
	jtune(t, with(virtualBoard, "fit", "--samples", samples, "--out", model)...).done(t)
	for name, args := range map[string][]string{
		"experiment":     {"experiment", "workers", "lenet5"},
		"all":            {"experiment", "all"},
		"front --verify": {"front", "--model", model, "--verify", "5", "--workload", "resnet18"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := child(with(args, "--device", "virtual:agx-orin", "--speed", "60", "--data-dir",
				dir)...)
			var said safeBuffer
			cmd.Stderr = &said
			must.NoError(t, cmd.Start())
			seen := task.Campaigns{Dir: filepath.Join(dir, "campaigns"), Board: tegra.Board{Name: "AGX Orin",
				Virtual: true}, Held: func() []record.Running {
				return campaigns.Held(session.Options{Paths: config.Paths{DataDir: dir}}.Paths)
			}}
			var f *control.Followed
			must.Until(t, "it takes orders", func() bool {
				f = control.Follow(seen, nil)
				return f != nil && f.Reach != nil
			})
			must.NoError(t, f.Give(control.OrderPause))
			must.Until(t, "it is paused", func() bool { return strings.Contains(said.String(), "paused by ") })
			must.NoError(t, f.Give(control.OrderStop))
			exited(t, cmd.Wait(), exitInterrupted)
			must.Contain(t, said.String(), "stopped by ")
		})
	}
}
