package tui

import (
	"context"
	"math"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tui/session"
)

// jobKind is what a long-running piece of work is for.
type jobKind int

const (
	jobTune jobKind = iota
	jobFront
	jobVerify
	jobRun
	jobRedo
	jobFollowed // of another process: never this one's own
)

func (k jobKind) String() string {
	return [...]string{"tuning", "mapping", "verifying", "training", "redoing", "following"}[k]
}

// job is one piece of work on the device: at most one runs at a time. The
// fields below feed belong to Update.
type job struct {
	kind     jobKind
	workload profiles.Workload
	limit    optimize.Limit
	planned  int // modes, about; of a search the most
	cancel   context.CancelFunc
	gate     *gate
	feed     *feed[jobNews]
	pace     session.Pace
	ended    chan struct{} // closed when the goroutine has restored the device

	progress profiles.Progress
	began    time.Duration // device clock
	rows     []profiles.Row
	probes   []optimize.Probe
	times    []float64           // minibatch times of a run, newest last
	last     *harness.Event      // the newest minibatch, with its parts
	like     *profiles.Character // of a run, so far
	notes    []string
	stopping bool
	done     bool
	err      error
	tuned    *session.TuneResult
	ran      *session.RunResult

	follows   *followed // of a followed job
	sketch    sketch
	bands     []float64 // of time along the front, as sketch after sketch found them, %
	sketching bool
}

// spaceOr is the space that the job's modes belong to.
func (j *job) spaceOr(own *tegra.Space) *tegra.Space {
	if j.follows != nil {
		return j.follows.space
	}
	return own
}

// jobNews is what happened since the screen looked last.
type jobNews struct {
	progress *profiles.Progress
	rows     []profiles.Row
	probes   []optimize.Probe
	times    []float64
	last     *harness.Event
	like     *profiles.Character
	notes    []string
}

// jobNewsMsg brings it.
type jobNewsMsg struct {
	job  *job
	news jobNews
}

// jobDoneMsg says that a job has ended and the device is as it was found.
type jobDoneMsg struct {
	job   *job
	err   error
	tuned *session.TuneResult
	ran   *session.RunResult
	row   *profiles.Row // of a verification
	view  *mapView      // what was learnt; nil when nothing was
}

// maxTimes bounds the minibatch times that a run keeps for its chart.
const maxTimes = 600

// observe takes an event on the job's goroutine.
func (j *job) observe(e session.Event) {
	j.pace.Observe(e)
	j.feed.put(func(news *jobNews) {
		if p := e.Progress; p != nil {
			news.progress = p
			if p.Row != nil {
				news.rows = append(news.rows, *p.Row)
			} else if p.TimeMS > 0 {
				news.times = append(news.times, p.TimeMS)
				if len(news.times) > maxTimes {
					news.times = news.times[len(news.times)-maxTimes:]
				}
			}
			if p.Line != "" {
				news.notes = append(news.notes, p.Line)
			}
		}
		if e.Minibatch != nil {
			news.last = e.Minibatch
		}
		if e.Character != nil {
			news.like = e.Character
		}
		if e.Probe != nil {
			news.probes = append(news.probes, *e.Probe)
		}
		if e.Note != "" {
			news.notes = append(news.notes, e.Note)
		}
	})
}

// take folds news into what the pages show.
func (j *job) take(news jobNews) {
	if news.progress != nil {
		j.progress = *news.progress
	}
	if news.last != nil {
		j.last = news.last
	}
	if news.like != nil {
		j.like = news.like
	}
	j.rows = append(j.rows, news.rows...)
	j.probes = append(j.probes, news.probes...)
	j.times = append(j.times, news.times...)
	if len(j.times) > maxTimes {
		j.times = j.times[len(j.times)-maxTimes:]
	}
	j.notes = append(j.notes, news.notes...)
	if len(j.notes) > 100 {
		j.notes = j.notes[len(j.notes)-100:]
	}
}

// sized tells whether the rows say minibatch sizes of their own.
func (j *job) sized() bool { return len(j.rows) > 0 && j.rows[0].Batch > 0 }

// measured lists the usable results so far, in order.
func (j *job) measured() []tegra.Measured {
	var out []tegra.Measured
	for _, r := range j.rows {
		if r.Status.Usable() {
			out = append(out, r.Measured)
		}
	}
	return out
}

// jobEvery is the least time between two looks at a job in real time: a busy
// screen takes power and cores that are being measured. It is much longer than
// a sample takes to come, with which the job's news are told (root.news): nobody
// is woken for them alone.
const jobEvery = 5 * time.Second

// next brings the job's news; a virtual clock that runs ahead is followed as
// fast as is drawn.
func (j *job) next(sh *shared) tea.Cmd {
	every := jobEvery
	if sh.rate != nil && sh.rate.Speed() > 1 {
		every = frameEvery
	}
	return j.feed.next(sh.ctx, every, func(n jobNews) tea.Msg { return jobNewsMsg{j, n} })
}

// gate holds a job between two modes while it is shut.
type gate struct {
	mu   sync.Mutex
	shut chan struct{} // nil: open
	held bool          // the job stands at it
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case shut && g.shut == nil:
		g.shut = make(chan struct{})
	case !shut && g.shut != nil:
		close(g.shut)
		g.shut = nil
	}
}

func (g *gate) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut != nil
}

// holds tells whether the job has come to the gate and waits.
func (g *gate) holds() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

// wait returns when the gate is open.
func (g *gate) wait(ctx context.Context) error {
	g.mu.Lock()
	shut := g.shut
	g.held = shut != nil
	g.mu.Unlock()
	if shut == nil {
		return ctx.Err()
	}
	select {
	case <-shut:
	case <-ctx.Done():
	}
	g.mu.Lock()
	g.held = false
	g.mu.Unlock()
	return ctx.Err()
}

// launch begins a job: work runs in a command and its outcome comes back as a
// jobDoneMsg. fast asks a virtual board for full speed meanwhile.
func (sh *shared) launch(j *job, fast bool, work func(ctx context.Context, j *job) jobDoneMsg) tea.Cmd {
	ctx, cancel := context.WithCancel(sh.ctx)
	j.cancel, j.gate, j.feed, j.ended = cancel, &gate{}, newFeed[jobNews](), make(chan struct{})
	j.began = sh.clock.Now()
	sh.job = j
	restoreSpeed := func() {}
	if r := sh.rate; r != nil && fast {
		before := r.Speed()
		r.SetSpeed(math.Inf(1))
		restoreSpeed = func() {
			if math.IsInf(r.Speed(), 1) {
				r.SetSpeed(before)
			}
		}
	}
	run := func() tea.Msg {
		defer close(j.ended)
		defer cancel()
		j.pace = session.Pace{Effort: sh.effort}
		j.pace.Compute(j.kind != jobRun)
		done := work(ctx, j)
		j.pace.Compute(false)
		restoreSpeed()
		j.feed.close()
		done.job = j
		return done
	}
	return tea.Batch(run, j.next(sh))
}

// stop ends the job; it restores the device and then says that it is done.
func (j *job) stop() {
	if !j.done {
		j.stopping = true
		j.cancel()
		j.gate.set(false)
	}
}

// tune looks for the best mode: with few probes for the limit alone, or with a
// campaign over the whole map whose answer is then verified.
// Several minibatch sizes make it choose among them too, with few probes alone.
func (sh *shared) tune(w profiles.Workload, batches []int, l optimize.Limit, whole, fast bool) tea.Cmd {
	h, space, seed, board := sh.host, sh.space, sh.seed, sh.board
	if whole && batches == nil {
		j := &job{kind: jobFront, workload: w, limit: l, planned: frontModes + 1}
		return sh.launch(j, fast, frontJob{h: h, j: j, space: space, seed: seed, board: board, modes: frontModes}.run)
	}
	j := &job{kind: jobTune, workload: w, limit: l, planned: optimize.DefaultProbes}
	return sh.launch(j, fast, func(ctx context.Context, j *job) jobDoneMsg {
		res, err := h.Tune(ctx, session.TuneRequest{Workload: w, Batches: batches, Limit: l, Gate: j.gate.wait}, j.observe)
		msg := jobDoneMsg{err: err}
		if res.Fitted != nil {
			m := res.Fitted
			if m.Batches != nil {
				m = m.At(res.Batch)
			}
			msg.view = newMapView(w.Name, m, space)
			_, _ = h.SaveModel(modelName(w.Name, board), res.Fitted)
		}
		if len(res.Probes) > 0 {
			msg.tuned = &res
		}
		return msg
	})
}

// frontModes is how many modes a campaign over the whole map measures.
const frontModes = 25

// modelName is the name under which a tuned workload's model is kept.
func modelName(workload string, b tegra.Board) string {
	name := workload
	switch {
	case b.Replay != "":
		name += "-replay"
	case b.Virtual:
		name += "-virtual"
	}
	return name
}
