package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"jtune/internal/caller"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/rivals"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/kept"
	"jtune/tui/session/preflight"
)

// Diagnosis lists what can be read and set on a device, and what prevents the rest.
type Diagnosis struct {
	Model    string          `json:"model"`
	Virtual  bool            `json:"virtual"`
	Sources  []tegra.Probe   `json:"sources"`
	Missing  []tegra.Missing `json:"missing_now"`
	TempsOff []string        `json:"temps_off"`
	Signals  []tegra.Signal  `json:"signals"`
	Left     text.Optional   `json:"left_kept_mode"` // that the board has left the mode kept last, and what did it
	Supply   []string        `json:"-"`              // what the signals, alarms and clocks of the board say, in words
	Others   []rivals.Rival  `json:"others"`
	// Inference lists the programs that serve models, found or not; none on a virtual board, which runs no programs.
	Inference []workload.Found `json:"inference"`
	// Jobs are the workloads, whether each can run; none for the files of another board.
	Jobs     []Job    `json:"jobs"`
	Rights   Rights   `json:"rights"`
	Overhead Overhead `json:"overhead"`
	Verdict  Verdict  `json:"verdict"`
}

// Job says whether a workload can run here.
type Job struct {
	Name    string `json:"name"`
	Ready   bool   `json:"ready"`
	Missing string `json:"missing"` // what it lacks; "" if it can run
}

// Rights are what this user may do with the device, and by which means.
type Rights struct {
	Read  bool   `json:"read"`
	Apply bool   `json:"apply"`
	How   string `json:"how"`
	sudo  bool
}

// Overhead is the cost of jtune itself while it reads ten times a second.
type Overhead struct {
	SpanS      float64            `json:"span_s"`
	Readings   int                `json:"readings"`
	CPUPct     float64            `json:"cpu_pct"` // of one core
	ReadingUS  float64            `json:"reading_us"`
	BytesPerS  tegra.Val[float64] `json:"bytes_per_s"` // read from files
	CallsPerS  tegra.Val[float64] `json:"calls_per_s"`
	CPUPctAt1s float64            `json:"cpu_pct_at_1s"` // estimated from the above
}

// Verdict summarizes a diagnosis in one line.
type Verdict struct {
	Level string `json:"level"` // LevelReady, LevelLimited, LevelNoJob, LevelHot or LevelUnable
	Text  string `json:"text"`
	root  bool
}

// Levels of a verdict.
const (
	LevelReady   = "ready"
	LevelLimited = "limited"
	LevelNoJob   = "no job"
	LevelHot     = "hot"
	LevelUnable  = "unable"
)

// Next returns the next step after a verdict.
func (v Verdict) Next() string {
	switch v.Level {
	case LevelHot:
		return "let the board cool down, then jtune doctor"
	case LevelNoJob:
		return "jtune run with your own command measures it; jtune list workloads shows the built-in jobs"
	case LevelUnable:
		if v.root {
			return "jtune watch shows what there is"
		}
		return "sudo jtune doctor shows what only root can read; jtune watch shows what there is"
	}
	return "jtune opens the screens; jtune workloads lists the jobs, jtune config edit adds your own"
}

// Overhead is measured at jtune's fastest reading rate.
const (
	costSpan  = time.Second
	costEvery = 100 * time.Millisecond
)

// Diagnose checks every source of data, other programs that may change the power mode, and the cost of jtune itself. It
// takes costSpan. jobs checks the workloads.
func Diagnose(ctx context.Context, s *session.Session,
	jobs func(context.Context, *session.Session) ([]Job, error)) (Diagnosis, error) {
	b := s.Device.Board()
	last, cost, err := measureCost(ctx, s.Device)
	if err != nil {
		return Diagnosis{}, err
	}
	d := Diagnosis{
		Model:    b.Model,
		Virtual:  b.Virtual,
		Sources:  s.Sysfs().Probes(),
		Missing:  append([]tegra.Missing{}, last.Missing...),
		TempsOff: append([]string{}, last.TempsOff...),
		Signals:  append([]tegra.Signal{}, last.Signals...),
		Supply:   supplyWords(b, last),
		Others:   append([]rivals.Rival{}, rivals.Find(s.FS(), last, s.Device.Presets(), os.Getpid())...),
		Rights:   RightsOf(s),
		Overhead: cost,
	}
	d.Left = text.Optional(kept.Left(s, last, tegra.Val[time.Time]{}))
	d.Inference = []workload.Found{}
	if s.Virtual == nil && s.Sysroot == "/" { // otherwise this machine's programs are not the board's
		if d.Inference, err = workload.Programs(ctx); err != nil {
			return d, err
		}
	}
	if os.Geteuid() == 0 && !d.Virtual {
		d.rootAlready()
	}
	d.Jobs = []Job{}
	if s.Virtual != nil || s.Sysroot == "/" {
		if d.Jobs, err = jobs(ctx, s); err != nil {
			return d, err
		}
	}
	f := factsOf(s, last, d.Others, d.Rights)
	f.noJob = len(d.Jobs) > 0 && !slices.ContainsFunc(d.Jobs, func(j Job) bool { return j.Ready })
	d.Verdict = f.verdict()
	return d, nil
}

// rootAlready corrects the reason of files that not even this root may read.
func (d *Diagnosis) rootAlready() {
	const denied = "no permission, although this is root: as in a container without that right"
	for i, p := range d.Sources {
		if p.Why == tegra.NoPermission {
			d.Sources[i].Why = denied
		}
	}
	for i, m := range d.Missing {
		if m.Why == tegra.NoPermission {
			d.Missing[i].Why = denied
		}
	}
}

// supplyWords lists what happened to the supply since boot with what to do about it, and the clocks that do not follow.
func supplyWords(b tegra.Board, r tegra.Reading) (out []string) {
	for _, s := range r.Signals {
		if !s.Alarm.Or(false) && s.Count.Or(0) == 0 {
			continue
		}
		words := s.Label() + ": "
		if s.Count.OK {
			words += text.Thousands(int(s.Count.V)) + " times since boot"
		}
		if s.Alarm.Or(false) {
			words += " (its alarm is on now)"
		}
		for _, rail := range r.Rails {
			if s.Name == tegra.UnderVoltage && rail.Name == b.FeedRail() && rail.Volts.OK {
				words += fmt.Sprintf("; %s is at %.2f V", rail.Name, rail.Volts.V)
				if s.Limit.OK {
					words += fmt.Sprintf(", at least %.2f V is needed", s.Limit.V)
				}
			}
		}
		out = append(out, strings.TrimSuffix(words+"; "+s.Remedy(), "; "))
	}
	if c, ok := r.Slowest("CPU"); ok && !c.Capped {
		out = append(out, fmt.Sprintf("cores run at %.0f MHz of %.0f asked", c.Actual.GHz()*1000, c.Asked.GHz()*1000))
	}
	return out
}

// measureCost reads for a second of real time and measures the cost. The first reading opens the files and does not
// count.
func measureCost(ctx context.Context, d tegra.Device) (last tegra.Reading, cost Overhead, err error) {
	if last, err = d.Read(); err != nil {
		return last, cost, err
	}
	tick := time.NewTicker(costEvery)
	defer tick.Stop()
	begun, cpu, io := time.Now(), telemetry.OwnCPU(), telemetry.OwnIO()
	var reading time.Duration
	n := 0
	for ; n == 0 || time.Since(begun) < costSpan-costEvery/2; n++ { // a busy machine may sleep over all of the second
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		if err = ctx.Err(); err != nil { // of two that are ready, select takes either
			return last, cost, err
		}
		from := time.Now()
		if last, err = d.Read(); err != nil {
			return last, cost, err
		}
		reading += time.Since(from)
	}
	span := time.Since(begun).Seconds()
	used := (telemetry.OwnCPU() - cpu).Seconds()
	cost = Overhead{
		SpanS:      span,
		Readings:   n,
		CPUPct:     100 * used / span,
		ReadingUS:  float64(reading.Microseconds()) / float64(n),
		CPUPctAt1s: 100 * used / float64(n),
	}
	if now := telemetry.OwnIO(); io.OK && now.OK {
		cost.BytesPerS = tegra.Some(float64(now.V.Bytes-io.V.Bytes) / span)
		cost.CallsPerS = tegra.Some(float64(now.V.Calls-io.V.Calls) / span)
	}
	return last, cost, nil
}

// RightsOf finds out whether this user can set modes, and how.
func RightsOf(s *session.Session) Rights {
	yes := func(how string) Rights { return Rights{Read: true, Apply: true, How: how} }
	no := func(how string) Rights { return Rights{Read: true, How: how} }
	switch {
	case s.Bundled():
		return no("refused: a bundle can only be read")
	case s.ReadOnly:
		return no("refused: " + usage.ReadOnly.String())
	case s.Virtual != nil:
		return yes("in this process: the board is virtual")
	case errors.Is(preflight.WriteError(s), syscall.EROFS):
		return no("not from here: /sys is mounted read-only")
	case s.Sysroot != "/" && preflight.WriteError(s) != nil:
		return no("not by this user: the files below " + s.Sysroot + " are not writable; run as root")
	case s.Sysroot != "/":
		return yes("directly, below " + s.Sysroot)
	case os.Geteuid() == 0:
		return yes("directly: running as root")
	case caller.Root():
		return yes("directly: running through sudo, with your own rights for everything else")
	}
	if _, err := exec.LookPath("sudo"); err != nil {
		return no("not by this user, and there is no sudo: run as root")
	}
	r := yes("through sudo, which asks for the password")
	r.sudo = true
	return r
}

// facts are the basis of a verdict.
type facts struct {
	noCPU, noGPU, noEMC bool // the list of clocks is unknown
	whyGPU              string
	partial             string // why the memory's list lacks rates; "" if it lacks none
	noPower             bool   // no power of the whole module
	noLoad              bool   // the GPU load is unknown
	noJob               bool   // no workload can run
	cannotApply         string
	withSudo            bool
	running             []string // programs that may change knobs now
	conditions          []string // what gets in the way of a measurement
	root                bool     // more rights than this user has do not exist
	hot                 string   // why the board is too hot to measure; "" if it is not
	virtual             bool
}

func factsOf(s *session.Session, last tegra.Reading, others []rivals.Rival, r Rights) facts {
	space := s.Device.Space()
	f := facts{
		noCPU:      len(space.CPU) == 0,
		noGPU:      len(space.GPU) == 0,
		noEMC:      len(space.EMC) == 0,
		noPower:    !last.TotalW.OK,
		noLoad:     !last.GPU.LoadPct.OK,
		withSudo:   r.sudo,
		conditions: preflight.Conditions(s, last),
		root:       os.Geteuid() == 0 || caller.Root(),
		hot:        last.Hot(),
		virtual:    s.Virtual != nil,
	}
	for _, p := range s.Sysfs().Probes() {
		if p.Name == "GPU clock" && !p.Found {
			f.whyGPU = string(p.Why)
		}
	}
	f.partial, _ = preflight.MemoryUnread(s)
	if !r.Apply {
		f.cannotApply = r.How
	}
	for _, o := range others {
		if o.Active() {
			f.running = append(f.running, o.Name)
		}
	}
	return f
}

// verdict returns one line: what works, then what does not.
func (f facts) verdict() Verdict {
	var broken, limits []string
	add := func(to *[]string, when bool, text string) {
		if when {
			*to = append(*to, text)
		}
	}
	add(&broken, f.noCPU, "the CPU lists no clocks")
	add(&broken, f.noGPU, "the GPU lists no clocks: "+cmp.Or(f.whyGPU, "see above"))
	add(&broken, f.noEMC && f.partial == "", "the memory lists no rates")
	add(&limits, f.partial != "" && len(broken) == 0, f.partial)
	limits = append(limits, f.conditions...)
	add(&limits, f.noPower, "no power of the whole module, so nothing can be tuned for power or energy")
	add(&limits, f.noLoad, "no GPU load")
	add(&limits, f.cannotApply != "", "no modes can be set: "+f.cannotApply)
	add(&limits, f.withSudo, "setting modes asks for the sudo password")
	add(&limits, len(f.running) > 0, strings.Join(f.running, ", ")+" may change knobs at any time")
	v := Verdict{Level: LevelReady, Text: "ready: all that tuning needs is here"}
	switch {
	case f.hot != "":
		v = Verdict{Level: LevelHot, Text: "not ready: hot: " +
			strings.Join(slices.Concat([]string{f.hot}, broken, limits), "; ")}
	case len(broken) > 0:
		v = Verdict{
			Level: LevelUnable,
			Text:  "can be watched, not tuned: " + strings.Join(append(broken, limits...), "; "),
		}
	case f.noJob:
		v = Verdict{Level: LevelNoJob, Text: "the board is ready, but no built-in or saved job can run: " +
			strings.Join(append([]string{"your own command can"}, limits...), "; ")}
	case len(limits) > 0:
		v = Verdict{Level: LevelLimited, Text: "usable, with limits: " + strings.Join(limits, "; ")}
	}
	v.root = f.root
	if f.virtual {
		v.Text += " (virtual board)"
	}
	return v
}
