package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"jtune/internal/text"
	"jtune/internal/units"
	"jtune/internal/usage"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/telemetry/hold"
	"jtune/telemetry/sources"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/preflight"
	"jtune/tui/session/workloads"
)

// Usual is the default duration of a soak.
const Usual = 45 * time.Minute

const (
	sampleEvery = time.Second
	// usualRest is how long the board rests before and after. Its temperature is then taken as ambient, which no board
	// measures.
	usualRest = 30 * time.Second
	// longest bounds a soak that runs until steady.
	longest = 4 * time.Hour
	// tellEvery is the interval between reports to an observer, and sayEvery between those worth a line of their own.
	tellEvery = 5 * time.Second
	sayEvery  = 5 * time.Minute
)

// Request asks for a soak.
type Request struct {
	Workload    workload.Workload
	Mode        *tegra.Request // nil: the present mode; nothing is changed
	For         time.Duration  // 0: Usual, unless UntilSteady
	UntilSteady bool
	Limits      metric.Limits
	GoOn        bool          // continue after a broken limit
	Dir         string        // for samples and result; "": a new folder in the data directory
	Rest        time.Duration // before and after; 0: half a minute
	Resume      bool          // resume the interrupted soak in Dir; all settings but the workload come from there
}

// ParseLimits reads the limits that a soak tests; "" is none.
func ParseLimits(line string) (metric.Limits, error) {
	if strings.TrimSpace(line) == "" {
		return metric.Limits{}, nil
	}
	q, err := metric.Parse(line)
	l := q.Limit.Limits
	if err == nil && (q != metric.Question{Limit: metric.Within(l.Only(metric.Live...))}) {
		err = usage.Limit.Errorf("%q: a soak tests limits in %s", text.Clip(line), strings.Join(testedUnits(), ", "))
	}
	return l, err
}

// testedUnits lists the units of what a soak can test.
func testedUnits() (list []string) {
	for _, m := range metric.Live {
		if unit := string(m.Unit); !slices.Contains(list, unit) {
			list = append(list, unit)
		}
	}
	return list
}

// Proving returns the request to test an answer: its mode and batch size, within the board's own limits; for no time:
// until the board is steady.
func Proving(w workload.Workload, at tegra.Setting, lasts time.Duration) Request {
	return Request{Workload: w.AtBatch(at.Batch), Mode: &tegra.Request{Mode: at.Mode}, For: lasts,
		UntilSteady: lasts == 0}
}

// lasts returns the maximum duration of the load.
func (r Request) lasts() time.Duration {
	switch {
	case r.UntilSteady:
		return longest
	case r.For == 0:
		return Usual
	}
	return r.For
}

// Phases of a soak.
const (
	Resting      = "rest before the load"
	Loading      = "load"
	RestingAfter = "rest after the load"
)

// Status is what a running soak shows.
type Status struct {
	Phase string // Resting, Loading, RestingAfter
	Dir   string // folder of the samples, which Request.Resume continues
	hold.Status
	For    time.Duration         // 0: until steady
	Mode   tegra.Val[tegra.Mode] // set for the soak; absent: the board's present mode
	Limits metric.Limits
	Due    bool // where progress is a list of lines, this one belongs to it
}

// Begins reports whether it is the first status of a soak.
func (st Status) Begins() bool { return st.Phase == Resting }

// Line describes the progress of a soak.
func (st Status) Line() string {
	if st.Phase != Loading {
		return st.Phase + ": the idle board's temperature is taken as the air temperature"
	}
	line := units.Span(st.At)
	if st.For > 0 {
		line += " of " + units.Span(st.For)
	}
	shown := func(v tegra.Val[float64], format string) string {
		if !v.OK {
			return "–"
		}
		return fmt.Sprintf(format, v.V)
	}
	line += "  " + shown(st.PowerW, "%.1f W") + "  peak " + shown(st.Peak.Amperes, "%.2f A") + "  tj " +
		shown(st.TjC, "%.0f °C") + " now"
	if st.Steady.TjC.OK {
		line += ", " + st.Steady.Words(st.In)
	}
	if st.Broken != "" {
		line += "  " + st.Broken
	}
	return line
}

// Result is a soak's verdict.
type Result struct {
	hold.Result
	Dir    string        `json:"-"` // folder of samples and result; "" if not stored
	Limits metric.Limits `json:"-"` // that were given
}

// Run soaks a mode and restores the board. Samples are stored immediately, so that a missing result can be computed
// from them; the result is stored next to them. If ctx ends, the verdict judges the samples so far.
func Run(ctx context.Context, s *session.Session, r Request, observe func(Status)) (Result, error) {
	if err := workloads.CanRun(s, r.Workload); err != nil {
		return Result{}, err
	}
	if w := r.Workload; len(w.Command) > 0 && w.Container.Image == "" && (w.Own || !w.Infers()) && !s.Simulated(w) {
		if err := harness.CanStart(w.Command, w.Dir); err != nil { // now, not after the rest
			return Result{}, err
		}
	}
	release, err := preflight.Claim(s, "soak", true)
	if err != nil {
		return Result{}, err
	}
	defer release()
	now, err := s.Device.Read()
	if err == nil {
		err = r.Limits.Shown(s.Device.Board(), now)
	}
	if err != nil {
		return Result{}, err
	}
	if r.Rest == 0 {
		r.Rest = usualRest
	}
	measure.EndOrphans(s, r.Workload, nil)
	files, err := keep(s, &r, now)
	if err != nil {
		return Result{}, err
	}
	defer files.close()
	k := &soak{s: s, r: r, files: files, observe: observe,
		answered: append(sources.Answers(now), files.plan.Watched...)}
	out, cut, err := k.run(ctx)
	if err != nil {
		return Result{}, errors.Join(err, files.failed(ctx))
	}
	out.Dir, out.Limits = files.dir, k.r.Limits
	return out, files.result(out, cut)
}

// soak is a running soak.
type soak struct {
	s       *session.Session
	r       Request
	files   *files
	observe func(Status)
	// answered are the sources that answered when the soak began, before its rest, or in an earlier part
	answered []string
	guard    tegra.Applier // nil: the soak sets nothing
	set      tegra.State   // what it wrote

	mu      sync.Mutex // held by the goroutines of the sampler and the job
	sources *sources.Sources
	watch   *hold.Watcher
	end     context.CancelFunc // of the load
	done    bool               // the load has run for its full time or broke a limit
	told    time.Duration
	said    time.Duration // under load, when the next line is due
}

// run performs a complete soak; cut reports that it can be resumed.
func (k *soak) run(ctx context.Context) (out Result, cut bool, err error) {
	idle, err := k.rest(ctx, Resting)
	if err == nil {
		err = k.files.rested(idle)
	}
	if err != nil {
		return Result{}, false, err
	}
	restore, err := k.apply(ctx)
	if err != nil {
		return Result{}, false, err
	}
	end, err := k.load(ctx)
	after := context.WithoutCancel(ctx)
	restoreErr := restore(after)
	if err != nil {
		return Result{}, false, errors.Join(err, restoreErr)
	}
	if ctx.Err() == nil {
		if r, err := k.rest(ctx, RestingAfter); err == nil {
			k.watch.Note(k.s.Clock.Now(), "idle after the load: %s", heatText(r))
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if restoreErr != nil {
		k.watch.Note(k.s.Clock.Now(), "the board could not be restored: %v", restoreErr)
	}
	return Result{Result: k.watch.Judge(end, k.files.plan.mode())}, end.Cut != "" && k.watch.Broken() == "", nil
}

// rest waits for the rest period, then reads the idle board once; that temperature is taken as ambient.
func (k *soak) rest(ctx context.Context, phase string) (tegra.Reading, error) {
	begun := k.s.Clock.Now()
	k.tell(Status{Phase: phase})
	for k.s.Clock.Now()-begun < k.r.Rest {
		if err := k.s.Clock.Sleep(ctx, min(sampleEvery, k.r.Rest)); err != nil {
			return tegra.Reading{}, err
		}
	}
	return k.s.Device.Read()
}

// heatText formats the hottest zone of a reading.
func heatText(r tegra.Reading) string {
	if hot := r.Hottest(); hot.OK {
		return fmt.Sprintf("tj %.1f °C", hot.V)
	}
	return "no temperature"
}

// apply sets the requested mode, if any; restore returns the board to its previous state.
func (k *soak) apply(ctx context.Context) (restore func(context.Context) error, err error) {
	if k.r.Mode == nil {
		return func(context.Context) error { return nil }, nil
	}
	g, err := k.s.Guard(ctx)
	if err != nil {
		return nil, err
	}
	applied, release, err := session.Hold(ctx, g, *k.r.Mode)
	if err != nil {
		return nil, err
	}
	k.guard, k.set = g, applied.Settings()
	return func(ctx context.Context) error {
		_, err := release(ctx)
		return err
	}, nil
}

// load runs the job until its time is over, it is steady, or something fails.
func (k *soak) load(ctx context.Context) (hold.Ending, error) {
	asked := k.r.lasts()
	if k.r.UntilSteady {
		asked = 0
	}
	load, end := context.WithCancel(ctx)
	defer end()
	h, err := measure.NewHarness(k.s, k.r.Workload, record.Settings{}, k.files.rec.Log(), 0, 0)(load, 0)
	if err != nil {
		return hold.Ending{}, err
	}
	look := func() {}
	if p, ok := h.(harness.Paced); ok {
		look = p.Pace()
	}
	if err := k.begin(); err != nil {
		return hold.Ending{}, err
	}
	k.end = end
	cancel := k.s.Sampler.Subscribe(sampleEvery, func(s telemetry.Sample) {
		k.take(s)
		look()
	})
	cut := k.follow(load, h)
	cancel()
	if err := h.Stop(context.WithoutCancel(ctx)); err != nil && cut == "" {
		cut = "the job could not be stopped: " + err.Error()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done {
		cut = ""
	} else if left := k.watch.Strayed(); left != "" {
		cut = left
	} else if ctx.Err() != nil {
		cut = "interrupted"
	}
	return hold.Ending{Cut: cut, Asked: asked, Load: k.files.plan.Load}, nil
}

// begin creates the watcher, and takes the state of the board that the load is compared with; when resuming, it replays
// the earlier samples.
func (k *soak) begin() error {
	start, err := k.s.Device.Read()
	if err != nil {
		return err
	}
	if len(k.files.past) > 0 {
		k.set.Add(k.files.plan.settings())
	}
	k.sources = sources.New(start, preflight.Sources(k.s, k.guard), k.set)
	k.sources.Expect(k.answered)
	if err := k.files.begins(start, k.sources); err != nil {
		return err
	}
	now, past := k.s.Clock.Now(), time.Duration(0)
	if n := len(k.files.past); n > 0 {
		past = time.Duration(k.files.past[n-1].AtS * float64(time.Second))
	}
	k.watch = k.files.plan.watcher(k.s.Device.Board(), now-past, k.s.Clock.Wall())
	k.told = k.watch.Begun()
	if above := preflight.AboveMost(k.s, k.r.Limits.Of(metric.Power), 0); above != "" {
		k.watch.Note(now, "%s", above)
	}
	if past > 0 {
		replay(k.watch, k.files.past, k.report)
		k.watch.GoesOn(now, k.s.Clock.Wall())
	}
	return nil
}

// follow consumes the job's events until it ends; cut says why it ended early.
func (k *soak) follow(ctx context.Context, h harness.Harness) (cut string) {
	for {
		e, err := h.Next(ctx)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, harness.ErrNotUnderstood) && ctx.Err() == nil:
			return "the job ended"
		case ctx.Err() != nil:
			return "interrupted"
		case err != nil:
			return err.Error()
		case e.Kind == harness.Failure:
			return "the job reports: " + e.Message
		case e.Kind == harness.Hello && e.Info["load"] != "":
			k.mu.Lock()
			k.files.loads(text.OneLine(e.Info["load"]))
			k.watch.Note(k.s.Clock.Now(), "the load: %s", k.files.plan.Load)
			k.mu.Unlock()
		case e.Timed():
			k.files.step(e.TimeMS)
		}
	}
}

// take judges and stores a sample, and ends the load when it is due.
func (k *soak) take(s telemetry.Sample) {
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.watch
	if k.done || w.Strayed() != "" {
		return
	}
	s.Faults = k.sources.Look(s.T, s.Reading)
	w.Take(s, k.s.Clock.Wall())
	k.files.sample(Seen{AtS: w.At(s.T), Wall: k.s.Clock.Wall(), Part: tegra.Some(w.Part())}, s)
	lasted := s.T - w.Begun()
	over := lasted >= k.r.lasts()
	if k.r.UntilSteady && int(lasted.Seconds())%10 == 0 {
		now, _ := w.Steady()
		over = over || now.Reached
	}
	switch {
	case over || w.Broken() != "" && !k.r.GoOn:
		k.done = true
		k.end()
	case w.Strayed() != "":
		k.end()
	}
	k.report(s.T)
}

// report sends the observer the status of the load, at intervals and at its end.
func (k *soak) report(at time.Duration) {
	if k.observe == nil || !k.done && at-k.told < tellEvery {
		return
	}
	k.told = at
	status := Status{Phase: Loading, Status: k.watch.Status(at)}
	if !k.r.UntilSteady {
		status.For = k.r.lasts()
	}
	k.tell(status)
}

func (k *soak) tell(s Status) {
	if k.observe != nil {
		s.Dir, s.Limits = k.files.dir, k.r.Limits
		if s.Due = s.Phase != Loading || s.At >= k.said; s.Phase == Loading && s.Due {
			k.said = s.At + sayEvery
		}
		if m := k.r.Mode; m != nil {
			s.Mode = tegra.Some(m.Mode)
		}
		k.observe(s)
	}
}
