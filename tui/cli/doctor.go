package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"jtune/internal/document"
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
	Bundle, Workload string
}

func newDoctor(a *app) *cobra.Command {
	c := &doctorCmd{app: a}
	return a.command("doctor", nil, c.run, c)
}

func (c *doctorCmd) run(ctx context.Context) error {
	return c.onDevice(func(s *session.Session) error {
		if c.Workload != "" {
			return c.checkWorkload(ctx, s, c.Workload)
		}
		if c.Bundle != "" {
			if err := c.writeBundle(s, c.Bundle); err != nil {
				return err
			}
		}
		d, err := doctor.Diagnose(ctx, s, readiness.Jobs)
		if err != nil {
			return err
		}
		parts := diagnosisParts(d)
		if origin := s.Device.Board().Origin(); origin != "" {
			parts = slices.Insert(parts, 0, document.Part(document.Line(tegra.VirtualMark(origin))))
		}
		if err := c.show(d, parts...); err != nil || d.Verdict.Level != doctor.LevelHot {
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
	checks := document.Table{Head: []string{"", "", "found", "needed"}}
	var remedies []string
	for _, k := range r.Checks {
		checks.Rows = append(checks.Rows, []string{k.State, k.What, k.Found, k.Need})
		if k.Do != "" {
			remedies = append(remedies, k.What+": "+k.Do)
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
	parts := append([]document.Part{checks}, textsOf(remedies...)...)
	err = c.show(r, append(parts, document.Line("verdict: "+verdict))...)
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

// diagnosisParts shows a diagnosis.
func diagnosisParts(d doctor.Diagnosis) []document.Part {
	parts := sourceParts(d.Sources)
	for _, m := range d.Missing {
		if !strings.HasPrefix(m.Name, "temperature ") || len(d.TempsOff) == 0 { // those follow in one line
			parts = append(parts, document.Line(fmt.Sprintf("no value now: %s: %s", m.Name, m.Why)))
		}
	}
	if len(d.TempsOff) > 0 {
		parts = append(parts, document.Text("temperature sensors powered down or not readable: "+
			strings.Join(d.TempsOff, ", ")))
	}
	parts = append(parts, textsOf(text.Said(append(d.Supply, string(d.Left))...)...)...)
	parts = slices.Concat(parts, otherParts(d.Others), programParts(d.Inference), jobParts(d.Jobs))
	o, reads := d.Overhead, ""
	if o.BytesPerS.OK {
		reads = fmt.Sprintf(", %.0f reads and %.1f kB a second", o.CallsPerS.V, o.BytesPerS.V/1000)
	}
	return append(parts, document.Break{}, document.Line("setting modes: "+d.Rights.How),
		document.Text(fmt.Sprintf("jtune itself: %.2f %% of a core at %d readings in %.1f s (about %.2f %% at one a "+
			"second)%s; one reading takes %.0f µs", o.CPUPct, o.Readings, o.SpanS, o.CPUPctAt1s, reads, o.ReadingUS)),
		document.Line("next: "+d.Verdict.Next()), document.Line("verdict: "+d.Verdict.Text))
}

// sourceParts lists where readings come from. A path that does not fit beside its source is printed below it.
func sourceParts(list []tegra.Probe) []document.Part {
	const column = 22 // of a source before its path
	var lines []string
	missing := len(slices.DeleteFunc(slices.Clone(list), func(s tegra.Probe) bool { return s.Found }))
	marks := map[bool]string{true: "ok  ", false: "missing  "}
	if missing > 0 {
		marks[true] = fmt.Sprintf("%-*s", len(marks[false]), "ok")
	}
	indent := strings.Repeat(" ", len(marks[true]))
	for _, s := range list {
		source := joined(": ", s.Name, string(s.Why))
		line := fmt.Sprintf("%s%-*s  %s", marks[s.Found], column, source, s.Path)
		if utf8.RuneCountInString(source) > column || utf8.RuneCountInString(line) > helpWidth {
			line = joined("\n"+indent, text.FoldRow(marks[s.Found]+source, indent, helpWidth), string(s.Path))
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return linesOf(slices.Concat([]string{fmt.Sprintf("%s%-*s  path", indent, column, "source")}, lines,
		[]string{fmt.Sprintf("\n%d sources, %d missing", len(list), missing)})...)
}

// jobParts says which workloads can run.
func jobParts(jobs []doctor.Job) []document.Part {
	var ready []string
	for _, j := range jobs {
		if j.Ready {
			ready = append(ready, j.Name)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	line := fmt.Sprintf("jobs: %d of %d can run", len(ready), len(jobs))
	if len(ready) > 0 {
		line += ": " + strings.Join(ready, " ")
	}
	if len(ready) < len(jobs) {
		line += "; doctor --workload NAME says what it lacks"
	}
	return []document.Part{document.Break{}, document.Text(line)}
}

// programParts lists the installed programs that serve models.
func programParts(found []workload.Found) (parts []document.Part) {
	t := document.Table{Head: []string{"inference", "program", "", ""}}
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
		t.Rows = append(t.Rows, []string{f.Workload, f.Program, state, f.Why})
	}
	if len(found) > 0 {
		parts = append(parts, document.Break{})
	}
	if len(t.Rows) > 0 {
		parts = append(parts, t)
	}
	if len(missing) > 0 {
		parts = append(parts, document.Line("no program was found for: "+strings.Join(missing, " ")))
	}
	return parts
}

// otherParts lists the programs that change what jtune sets.
func otherParts(others []rivals.Rival) []document.Part {
	if len(others) == 0 {
		return []document.Part{document.Break{},
			document.Line("no other program was found that changes clocks, limits or the fan")}
	}
	t := document.Table{Head: []string{"other program", "", "changes", "where", ""}}
	for _, r := range others {
		t.Rows = append(t.Rows, []string{r.Name, string(r.State), orDash(string(r.Touches)), orDash(string(r.Path)),
			string(r.Note)})
	}
	return []document.Part{document.Break{}, t}
}
