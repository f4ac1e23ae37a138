package doctor

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
	"jtune/internal/conclusion"
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
	return "jtune opens the screens; jtune list workloads lists the jobs, jtune config edit adds your own"
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
	if d.Jobs, err = jobs(ctx, s); err != nil { // below another root too: jobs are this machine's programs
		return d, err
	}
	f := factsOf(s, last, d.Others, d.Rights)
	for _, j := range d.Jobs {
		if j.Ready {
			f.Jobs = append(f.Jobs, j.Name)
		}
	}
	d.Verdict = f.verdict(os.Geteuid() == 0 || caller.Root())
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
		out = append(out, fmt.Sprintf("cores run at %.0f MHz where %.0f MHz is set", c.Actual.GHz()*1000,
			c.Asked.GHz()*1000))
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
		return no("not by this user: the files below " + s.Sysroot + " are not writable")
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
	NoCPU, NoGPU, NoEMC bool     // the list of clocks is unknown
	WhyGPU              string   `turn:"absent"`
	Partial             string   `turn:"absent"` // why the memory's list lacks rates
	NoPower             bool     // no power of the whole module
	NoLoad              bool     // the GPU load is unknown
	Jobs                []string `turn:"absent"` // workloads that can run
	CannotApply         string   `turn:"absent"`
	WithSudo            bool
	Running             []string `turn:"absent"` // programs that may change knobs now
	Conditions          []string `turn:"absent"` // what gets in the way of a measurement
	Hot                 string   `turn:"absent"` // why the board is too hot to measure
	Virtual             bool
}

func factsOf(s *session.Session, last tegra.Reading, others []rivals.Rival, r Rights) facts {
	space := s.Device.Space()
	f := facts{
		NoCPU:      len(space.CPU) == 0,
		NoGPU:      len(space.GPU) == 0,
		NoEMC:      len(space.EMC) == 0,
		NoPower:    !last.TotalW.OK,
		NoLoad:     !last.GPU.LoadPct.OK,
		WithSudo:   r.sudo,
		Conditions: preflight.Conditions(s, last),
		Hot:        last.Hot(),
		Virtual:    s.Virtual != nil,
	}
	for _, p := range s.Sysfs().Probes() {
		if p.Name == "GPU clock" && !p.Found {
			f.WhyGPU = string(p.Why)
		}
	}
	f.Partial, _ = preflight.ModesUnread(s)
	if !r.Apply {
		f.CannotApply = r.How
	}
	for _, o := range others {
		if o.Active() {
			f.Running = append(f.Running, o.Name)
		}
	}
	return f
}

// broken lists what keeps a board from being tuned at all.
func (f facts) broken() []string {
	var out text.Lines
	if f.NoCPU {
		out.Add("the CPU lists no clocks")
	}
	if f.NoGPU {
		out.Add("the GPU lists no clocks: %s", cmp.Or(f.WhyGPU, "see above"))
	}
	if f.NoEMC && f.Partial == "" {
		out.Add("the memory lists no rates")
	}
	return out
}

// limits lists what narrows tuning.
func (f facts) limits() []string {
	out := text.Lines(slices.Clone(f.Conditions))
	if f.Partial != "" && len(f.broken()) == 0 {
		out = slices.Insert(out, 0, f.Partial)
	}
	if f.NoPower {
		out.Add("no power of the whole module, so nothing can be tuned for power or energy")
	}
	if f.NoLoad {
		out.Add("no GPU load")
	}
	if f.CannotApply != "" {
		out.Add("no modes can be set: %s", f.CannotApply)
	}
	if f.WithSudo {
		out.Add("setting modes asks for the sudo password")
	}
	if len(f.Running) > 0 {
		out.Add("%s may change clocks or cores at any time", strings.Join(f.Running, ", "))
	}
	return out
}

func (f facts) level() string {
	switch {
	case f.Hot != "":
		return LevelHot
	case len(f.broken()) > 0:
		return LevelUnable
	case len(f.Jobs) == 0:
		return LevelNoJob
	case len(f.limits()) > 0:
		return LevelLimited
	}
	return LevelReady
}

// mostNamed is the number of jobs that a verdict names.
const mostNamed = 3

// runs names the jobs that can run.
func (f facts) runs() string {
	names := strings.Join(f.Jobs[:min(len(f.Jobs), mostNamed)], ", ")
	if more := len(f.Jobs) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %s can run", names, text.Count(more, "more job"))
	}
	return names + " can run"
}

// tunes says in one line what works, then what does not.
var tunes = conclusion.New("doctor: verdict", 5, func(f facts) string {
	what, says := slices.Concat(f.broken(), f.limits()), "ready: "+f.runs()
	list := func(before string, first ...string) string {
		return before + strings.Join(slices.Concat(first, what), "; ")
	}
	switch f.level() {
	case LevelHot:
		says = list("not ready: hot: ", f.Hot)
	case LevelUnable:
		says = list("can be watched, not tuned: ")
	case LevelNoJob:
		says = list("the board is ready, but no built-in or saved job can run: ", "your own command can")
	case LevelLimited:
		says = list("usable, with limits: ")
	}
	if f.Virtual {
		says += " (virtual board)"
	}
	return says
})

// verdict sums the facts up; root: more rights than this user has do not exist.
func (f facts) verdict(root bool) Verdict { return Verdict{f.level(), tunes.Say(f), root} }
