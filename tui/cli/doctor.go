package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jtune/internal/report"
	"jtune/internal/text"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/rivals"
	"jtune/tui/session"
	"jtune/tui/session/doctor"
	"jtune/tui/session/readiness"
	"jtune/tui/session/workloads"
)

// doctorCmd is `jtune doctor`.
type doctorCmd struct {
	*app
	bundle, job string
}

func newDoctor(a *app) *cobra.Command {
	return command(&doctorCmd{app: a}, "doctor", nil)
}

func (c *doctorCmd) flags(f *pflag.FlagSet) {
	bind(f, "doctor", places{"bundle": &c.bundle, "workload": &c.job})
	c.jsonFlag(f, asDocument)
}

func (c *doctorCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		if c.job != "" {
			return c.checkWorkload(ctx, s, c.job)
		}
		if c.bundle != "" {
			if err := c.writeBundle(s, c.bundle); err != nil {
				return err
			}
		}
		d, err := doctor.Diagnose(ctx, s, readiness.Jobs)
		if err != nil {
			return err
		}
		if c.asJSON {
			err = printJSON(c.out, d)
		} else {
			err = errors.Join(c.printOrigin(s.Device.Board().Origin()), c.printDiagnosis(d))
		}
		if err != nil || d.Verdict.Level != doctor.LevelHot {
			return err
		}
		return exitError(exitFailed) // the verdict says why
	})
}

// checkWorkload prints a workload's requirements, which are met, and how to meet the others.
func (c *doctorCmd) checkWorkload(ctx context.Context, s *session.Session, name string) error {
	w, err := workloads.Find(s, name)
	if err != nil {
		return err
	}
	r, err := readiness.CheckWorkload(ctx, s, w)
	if err != nil {
		return err
	}
	if c.asJSON {
		err = printJSON(c.out, r)
	} else {
		rows := [][]string{{"", "", "found", "needed"}}
		for _, k := range r.Checks {
			rows = append(rows, []string{k.State, k.What, k.Found, k.Need})
		}
		err = report.Grid(c.out, rows...)
		for _, k := range r.Checks {
			if k.Do != "" {
				say(c.out, k.What+": "+k.Do)
			}
		}
		verdict := w.Name + " can run on this machine"
		if !r.Ready {
			verdict = w.Name + " cannot run on this machine yet"
		}
		switch {
		case r.Refusal != "":
			verdict += "; this virtual board refuses it: " + r.Refusal
		case r.Simulated:
			verdict += "; this virtual board simulates it and needs none of it"
		}
		fmt.Fprintln(c.out, "verdict: "+verdict)
	}
	if err != nil || r.Ready && r.Refusal == "" {
		return err
	}
	return exitError(exitFailed) // the verdict says why
}

func (c *doctorCmd) writeBundle(s *session.Session, path string) error {
	r, err := doctor.WriteBundle(s, path)
	if err != nil {
		return err
	}
	unread := ""
	if r.Unread > 0 {
		unread = fmt.Sprintf(", without %s that this user may not read or that had no value",
			text.Count(r.Unread, "file"))
	}
	c.note("wrote %s: %s, %d of them scrubbed%s. Look into it (tar tzf) before you send it", path,
		text.Count(r.Files, "file"), r.Scrubbed, unread)
	return nil
}

func (c *doctorCmd) printDiagnosis(d doctor.Diagnosis) error {
	c.printSources(d.Sources)
	for _, m := range d.Missing {
		if !strings.HasPrefix(m.Name, "temperature ") || len(d.TempsOff) == 0 { // those follow in one line
			fmt.Fprintf(c.out, "no value now: %s: %s\n", m.Name, m.Why)
		}
	}
	if len(d.TempsOff) > 0 {
		say(c.out, "temperature sensors powered down or not readable: "+strings.Join(d.TempsOff, ", "))
	}
	for _, words := range d.Supply {
		say(c.out, words)
	}
	if d.Left != "" {
		say(c.out, string(d.Left))
	}
	if err := c.printOthers(d.Others); err != nil {
		return err
	}
	if err := c.printPrograms(d.Inference); err != nil {
		return err
	}
	c.printJobs(d.Jobs)
	o := d.Overhead
	fmt.Fprintf(c.out, "\nsetting modes: %s\n", d.Rights.How)
	reads := ""
	if o.BytesPerS.OK {
		reads = fmt.Sprintf(", %.0f reads and %.1f kB a second", o.CallsPerS.V, o.BytesPerS.V/1000)
	}
	say(c.out, fmt.Sprintf("jtune itself: %.2f %% of a core at %d readings in %.1f s (about %.2f %% at one a "+
		"second)%s; one reading takes %.0f µs", o.CPUPct, o.Readings, o.SpanS, o.CPUPctAt1s, reads, o.ReadingUS))
	_, err := fmt.Fprintf(c.out, "next: %s\nverdict: %s\n", d.Verdict.Next(), d.Verdict.Text)
	return err
}

// printSources lists where readings come from. A path that does not fit beside its source is printed below it.
func (c *doctorCmd) printSources(list []tegra.Probe) {
	marks, missing := map[bool]string{true: "ok  ", false: "missing  "}, 0
	for _, s := range list {
		if !s.Found {
			missing++
		}
	}
	if missing > 0 {
		marks[true] = fmt.Sprintf("%-*s", len(marks[false]), "ok")
	}
	const column = 22 // of a source before its path
	width := cmp.Or(report.Columns(c.out), helpWidth)
	indent := strings.Repeat(" ", len(marks[true]))
	fmt.Fprintf(c.out, "%s%-*s  path\n", indent, column, "source")
	for _, s := range list {
		source := joined(": ", s.Name, string(s.Why))
		line := fmt.Sprintf("%s%-*s  %s", marks[s.Found], column, source, s.Path)
		if utf8.RuneCountInString(source) > column || utf8.RuneCountInString(line) > width {
			line = text.FoldRow(marks[s.Found]+source, indent, width)
			if s.Path != "" {
				line += "\n" + indent + string(s.Path)
			}
		}
		fmt.Fprintln(c.out, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(c.out, "\n%d sources, %d missing\n", len(list), missing)
}

// printJobs says which workloads can run.
func (c *doctorCmd) printJobs(jobs []doctor.Job) {
	var ready []string
	for _, j := range jobs {
		if j.Ready {
			ready = append(ready, j.Name)
		}
	}
	if len(jobs) == 0 {
		return
	}
	line := fmt.Sprintf("jobs: %d of %d can run", len(ready), len(jobs))
	if len(ready) > 0 {
		line += ": " + strings.Join(ready, " ")
	}
	if len(ready) < len(jobs) {
		line += "; doctor --workload NAME says what it lacks"
	}
	fmt.Fprintln(c.out)
	say(c.out, line)
}

// printPrograms lists the installed programs that serve models.
func (c *doctorCmd) printPrograms(found []workload.Found) error {
	var rows [][]string
	var missing []string
	for _, f := range found {
		state := ""
		switch {
		case f.Runs:
			state = "runs at " + f.URL + ", " + orDash(f.Model)
		case !f.There:
			missing = append(missing, f.Workload)
			continue
		case f.URL != "":
			state = "does not run at " + f.URL
		}
		rows = append(rows, []string{f.Workload, f.Program, state, f.Why})
	}
	if len(found) == 0 {
		return nil
	}
	fmt.Fprintln(c.out)
	if len(rows) > 0 {
		if err := report.Grid(c.out, append([][]string{{"inference", "program", "", ""}}, rows...)...); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(c.out, "no program was found for: %s\n", strings.Join(missing, " "))
	}
	return nil
}

func (c *doctorCmd) printOthers(others []rivals.Rival) error {
	fmt.Fprintln(c.out)
	if len(others) == 0 {
		_, err := fmt.Fprintln(c.out, "no other program was found that changes clocks, limits or the fan")
		return err
	}
	rows := [][]string{{"other program", "", "changes", "where", ""}}
	for _, r := range others {
		rows = append(rows, []string{
			r.Name, string(r.State), orDash(string(r.Touches)), orDash(string(r.Path)), string(r.Note),
		})
	}
	return report.Grid(c.out, rows...)
}
