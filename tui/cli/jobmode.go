package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"jtune/internal/text"
	"jtune/profiles/workload"
	"jtune/tegra/boot"
	"jtune/tegra/metric"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/savedanswers"
)

// modeFlags say in which power mode a job runs.
type modeFlags struct {
	measure.JobMode
	DVFS    string
	Systemd string // print a systemd unit of this name
}

func (m *modeFlags) set() shared {
	return the("job mode", places{"mode": &m.Name, "limit": oneGoal(&m.Goal)}, m)
}

// noBest says how to find the mode of a job.
func (m *modeFlags) noBest(err error, w workload.Workload, command []string) error {
	if !errors.Is(err, savedanswers.ErrNoBest) {
		return err
	}
	job, limit := w.Name, "--power-limit W"
	if m.Goal != (metric.Question{}) {
		limit = "--limit " + text.ShellWord(m.Goal.String())
	}
	if command == nil {
		return fmt.Errorf("%w, with jtune tune %s %s", err, job, limit)
	}
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = text.ShellWord(w)
	}
	return fmt.Errorf("%w, with jtune tune %s -- %s", err, limit, strings.Join(words, " "))
}

// systemd prints the unit that runs this command line at each start.
func (c *runCmd) systemd() error {
	program, err := session.Program()
	dir, bad := os.Getwd()
	if err = errors.Join(err, bad); err != nil {
		return err
	}
	j := boot.Job{Name: c.mode.Systemd, Line: append([]string{program}, withoutFlags(c.line, "--systemd")...), Dir: dir}
	if os.Geteuid() != 0 { // also under sudo, whose user this process is
		j.User = [2]int{os.Getuid(), os.Getgid()}
	}
	unit, err := j.Text()
	if err != nil {
		return usagef("--systemd: %w", err)
	}
	if name := boot.Exposed(program); name != "" {
		c.note("others than root may change %s: who does gets root rights when the unit starts; install jtune in "+
			"/usr/local/bin first", name)
	}
	c.asFile = true
	fmt.Fprint(c.out, unit)
	return nil
}

// modeText describes the mode that was set for a job; "" if none was.
func modeText(r measure.RunResult, s *session.Session) string {
	if r.ModeFrom == measure.ModePresent || !r.Mode.OK {
		return ""
	}
	line := s.Device.Space().Format(r.Mode.V)
	if r.ModeFrom == measure.ModeKept {
		line += ", found by a search"
	}
	if r.Restored.V {
		return line + "; the board is restored"
	}
	return line + "; the board is NOT restored"
}
