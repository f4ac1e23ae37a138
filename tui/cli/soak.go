package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"jtune/internal/document"
	"jtune/profiles/workload"
	"jtune/tegra/metric"
	"jtune/telemetry/hold"
	"jtune/tui/session"
	"jtune/tui/session/control"
	"jtune/tui/session/measure"
	"jtune/tui/session/soak"
	"jtune/tui/session/task"
	"jtune/tui/session/workloads"
)

// soakCmd is `jtune soak`.
type soakCmd struct {
	jobs
	r        soak.Request
	mode     string
	limits   string
	envelope bool
}

func newSoak(a *app) *cobra.Command {
	c := &soakCmd{jobs: jobs{app: a}, r: soak.Request{For: soak.Usual}}
	return a.command("soak", c.own.args(none, cobra.MaximumNArgs(1)), c.run, places{"mode": &c.mode,
		"limit": &c.limits, "envelope": &c.envelope, "out": &c.r.Dir}, c, &c.r, c.own.typed())
}

func (c *soakCmd) check() (err error) {
	c.args = c.own.before(c.args)
	switch {
	case c.envelope && (len(c.args) > 0 || c.own.given()):
		return usagef("soak: a job and --envelope exclude each other")
	case !c.envelope && len(c.args) == 0 && !c.own.given():
		return usagef("soak needs a job: give a WORKLOAD, --envelope or -- COMMAND")
	}
	c.r.Limits, err = soak.ParseLimits(c.limits)
	return err
}

func (c *soakCmd) run(ctx context.Context) error {
	if c.envelope {
		return c.onDevice(func(s *session.Session) error {
			w, err := soak.Envelope(s)
			if err != nil {
				return err
			}
			return c.soak(ctx, s, w)
		})
	}
	return c.withJob(strings.Join(c.args, ""), func(s *session.Session, w workload.Workload) error {
		if err := noInput(c.in, s, w); err != nil {
			return err
		}
		if c.own.given() {
			shown := echoOn(c.err)
			defer shown.end()
			w.Echo, w.ToEnd, w.FromStart = shown, true, true
		}
		return c.soak(ctx, s, w)
	})
}

// soak runs the job in the requested mode and prints the verdict.
func (c *soakCmd) soak(ctx context.Context, s *session.Session, w workload.Workload) error {
	c.r.Workload = w
	if c.mode != "" {
		r, err := s.FindRequest(ctx, c.mode)
		if err != nil {
			return err
		}
		c.r.Mode = &r
	}
	rep := c.reporter(s.Device)
	rep.pace.Compute(false)
	spec := task.Spec{Kind: task.Soaking, Workload: w, Whole: true}
	ctx, orders := control.Obey(ctx, s, spec, c.r.Dir != "", rep.line)
	defer orders.End()
	out, err := soak.Run(ctx, s, c.r, soakProgress(rep, c.r.Resume))
	rep.wipe()
	if err != nil && out.Verdict == "" {
		return err
	}
	verdict := c.printSoak(s, out)
	if verdict != nil && err != nil { // a full disk takes the record, not the verdict
		rep.line("jtune: %v", err)
		return verdict
	}
	return cmp.Or(err, verdict)
}

// soakProgress prints the folder of a soak, then its progress: in one line on a terminal, otherwise every five minutes.
// A resumed soak says before it sets anything what its folder, which may come from anyone, asks for.
func soakProgress(rep *reporter, resumed bool) func(soak.Status) {
	return func(st soak.Status) {
		if st.Begins() { // while it can be read: a lost connection ends the soak
			rep.line("jtune: recorded in %s", st.Dir)
			if resumed {
				rep.line("jtune: the settings of this folder: mode %s; limits %s", dash(st.Mode, "%v"),
					cmp.Or(st.Limits.String(), "none"))
			}
		}
		if rep.bar {
			rep.draw(st.Line())
		} else if st.Due {
			rep.line("%s", st.Line())
		}
	}
}

// soakExit returns the exit code of a verdict.
func soakExit(v hold.Verdict) error {
	switch v {
	case hold.Holds:
		return nil
	case hold.DoesNotHold:
		return exitError(exitInfeasible)
	}
	return exitError(exitFailed)
}

func (c *soakCmd) printSoak(s *session.Session, r soak.Result) error {
	if err := c.show(r, proofParts(s, c.r.Workload, r.Result, r.Limits)...); err != nil {
		return err
	}
	return soakExit(r.Verdict)
}

// proofParts shows the verdict of a soak, its margins and its events.
func proofParts(s *session.Session, w workload.Workload, r hold.Result, l metric.Limits) []document.Part {
	mode := "today's"
	if r.Mode.OK {
		mode = s.Device.Space().Format(r.Mode.V)
	}
	facts := append(document.Facts{{"board", workloads.BoardOf(s, w)}, {"job", w.Name}, {"mode", mode}}, r.Facts()...)
	return []document.Part{document.Text(r.Sentence()), facts, r.Table(l)}
}

// proofExit returns the worst exit code of the soaks of a search's answers.
func proofExit(found measure.TuneResult) (err error) {
	if found.Unproven {
		err = exitError(exitFailed)
	}
	for _, a := range found.Answers {
		if a.Soak == nil {
			continue
		}
		if e := soakExit(a.Soak.Verdict); e != nil && !errors.Is(err, exitError(exitInfeasible)) {
			err = e
		}
	}
	return err
}
