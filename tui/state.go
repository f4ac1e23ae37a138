package tui

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"jtune/optimize"
	"jtune/profiles"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// chartSpan is how much of the past the power chart shows.
const chartSpan = 2 * time.Minute

// shared is what all pages look at. Only Update touches it.
type shared struct {
	deps
	ctx     context.Context // ends when the program does
	board   tegra.Board
	space   *tegra.Space
	presets []tegra.Preset

	sample    telemetry.Sample // as shown
	sampled   bool
	history   []telemetry.Sample // last two minutes, oldest first
	energyJ   float64            // since the program began
	since     time.Time
	cost      costReading
	disk      telemetry.DiskRates
	gpu       gpuUse
	ocBefore  tegra.Val[int64] // over-current events when the program began
	frozen    bool
	workloads []profiles.Workload
	limit     optimize.Limit // what Front chooses by
	view      *mapView       // predictions of the whole space; nil without a model
	left      sizeViews      // those of the model's other minibatch sizes
	job       *job           // running, or the last one; nil before
	follow    *job           // a campaign of another process; nil without
	lookedAt  time.Time      // for those
	page      int            // that shows: what no other needs is worth its cost
	dev       deviceState
	notice    string // one line, last thing that happened
	noticeAt  time.Time
	mouse     bool
	rushed    bool // the key in hand came too soon after the one before
	narrow    bool // the window has no room for frames
}

// deviceState is what this program has done to the device.
type deviceState struct {
	undoable int // applies that can be taken back
	mode     tegra.Val[tegra.Mode]
	kept     bool // mode is the found state now
	history  []change
	boot     *session.BootUnit // changed what happens at boot, after the last apply; nil
}

// change is one line of the history of applied modes.
type change struct {
	at   time.Time
	mode tegra.Mode
	what string // "kept", "reverted: no answer", …
}

// unkept tells whether quitting would put something back.
func (d deviceState) unkept() bool { return d.mode.OK && !d.kept }

func (sh *shared) say(format string, args ...any) {
	sh.notice, sh.noticeAt = fmt.Sprintf(format, args...), sh.now()
}

// fail says an error in one line; nil says nothing.
func (sh *shared) fail(what string, err error) {
	if err != nil {
		sh.say("%s: %v", what, err)
	}
}

// computed is a command that computes something.
func (sh *shared) computed(work func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		defer sh.effort.Compute()()
		return work()
	}
}

// busy tells whether a job runs.
func (sh *shared) busy() bool { return sh.job != nil && !sh.job.done }

// mayWrite gives the reason why modes cannot be set now, or "".
func (sh *shared) mayWrite() string {
	switch {
	case sh.readOnly:
		return "read-only"
	case sh.busy():
		return "busy " + sh.job.kind.String()
	}
	return ""
}

// mode prints a mode in the device's own notation.
func (sh *shared) mode(m tegra.Mode) string { return sh.space.Format(m) }

// nameOf gives the preset or MAXN that a mode is, or "".
func (sh *shared) nameOf(m tegra.Mode) string {
	if m == sh.space.Max() {
		return "MAXN"
	}
	for _, p := range sh.presets {
		if p.Mode == m {
			return p.Name
		}
	}
	return ""
}

// present is the mode the device reads back now.
func (sh *shared) present() tegra.Val[tegra.Mode] {
	if !sh.sampled {
		return tegra.Val[tegra.Mode]{}
	}
	return sh.sample.Reading.Mode
}

// runnable lists the workloads to choose from. A replay has just one: what was
// measured when its file was made, whatever it is called.
func (sh *shared) runnable(list []profiles.Workload) []profiles.Workload {
	if sh.board.Replay == "" {
		return list
	}
	name := sh.workload
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(sh.board.Replay), filepath.Ext(sh.board.Replay))
	}
	w, ok := workloadNamed(list, name)
	if !ok {
		w = profiles.Workload{Name: name, Model: "as measured", Dataset: "in that file"}
	}
	if sh.sizes != nil {
		w.Batch = slices.Max(sh.sizes)
	}
	return []profiles.Workload{w}
}

// badge says what kind of device this is when it is not plain hardware.
func (sh *shared) badge() string {
	text := ""
	switch {
	case sh.board.Replay != "":
		text = "REPLAY"
	case sh.board.Virtual:
		text = "VIRTUAL"
	}
	if sh.rate != nil && text != "" {
		text += " " + speedText(sh.rate.Speed())
	}
	if sh.readOnly {
		text += " READ-ONLY"
	}
	return text
}

func speedText(x float64) string {
	if math.IsInf(x, 1) {
		return "×max"
	}
	return "×" + strconv.FormatFloat(x, 'g', 4, 64)
}

// sampleMsg brings the readings since the last one.
type sampleMsg struct {
	last    telemetry.Sample
	samples []telemetry.Sample
	energyJ float64
	cost    costReading
	disk    telemetry.DiskRates
	gpu     gpuUse
}

// watcher takes the device's samples for the screens, off their goroutine.
type watcher struct {
	feed   *feed[sampleMsg]
	energy telemetry.Energy
	cost   *costMeter
	stop   func()
	disk   *telemetry.Disk // nil: nothing to read
	ask    func() ([]tegra.GPUProcess, string)
	gpu    gpuUse // as last asked
}

// gpuEvery is how often the driver is asked who uses the GPU.
const gpuEvery = 5 * time.Second

// gpuUse is who uses the GPU.
type gpuUse struct {
	list  []tegra.GPUProcess
	why   string // not told, because …
	at    time.Time
	asked bool
}

func (w *watcher) askGPU(now time.Time) gpuUse {
	if w.ask != nil && (!w.gpu.asked || now.Sub(w.gpu.at) >= gpuEvery) {
		w.gpu = gpuUse{at: now, asked: true}
		w.gpu.list, w.gpu.why = w.ask()
	}
	return w.gpu
}

func watch(d deps, written *atomic.Int64) *watcher {
	w := &watcher{feed: newFeed[sampleMsg](), cost: newCostMeter(written), ask: d.gpuProcesses}
	if d.files != nil {
		w.disk = telemetry.NewDisk(d.files)
	}
	w.stop = d.sampler.Subscribe(time.Second, w.take)
	return w
}

// first reads the device once, so that the first frame has something to show.
func (d deps) first() sampleMsg {
	s := telemetry.Sample{T: d.clock.Now()}
	r, err := d.device.Read()
	s.Reading, s.Valid = r, err == nil
	if err != nil {
		s.Why = err.Error()
	}
	return sampleMsg{last: s, samples: []telemetry.Sample{s}}
}

func (w *watcher) take(s telemetry.Sample) {
	if p := s.PowerW(); p.OK {
		w.energy.Add(s.T, p.V)
	}
	joules := w.energy.Joules()
	w.feed.put(func(news *sampleMsg) {
		news.last, news.energyJ = s, joules
		news.samples = append(news.samples, s)
		if len(news.samples) > historyLen {
			news.samples = news.samples[len(news.samples)-historyLen:]
		}
	})
}

// historyLen is how many samples the screens keep: two minutes at one a
// second, with room for a sampler that is late.
const historyLen = 130

// next waits for the next reading; what the program itself costs is asked
// here, off the screen's goroutine.
func (w *watcher) next(ctx context.Context) tea.Cmd {
	return w.feed.next(ctx, frameEvery, func(m sampleMsg) tea.Msg {
		now := time.Now()
		m.cost, m.gpu = w.cost.read(now), w.askGPU(now)
		if w.disk != nil {
			m.disk = w.disk.Rates(m.last.T)
		}
		return m
	})
}

// takeSample folds new readings into what the pages show.
func (sh *shared) takeSample(m sampleMsg) {
	sh.history = append(sh.history, m.samples...)
	for len(sh.history) > 1 && (sh.history[0].T < m.last.T-chartSpan || len(sh.history) > historyLen) {
		sh.history = sh.history[1:]
	}
	sh.energyJ = m.energyJ
	sh.cost, sh.disk, sh.gpu = m.cost, m.disk, m.gpu
	if !sh.ocBefore.OK {
		sh.ocBefore = m.last.Reading.OverCurrents
	}
	sh.sample, sh.sampled = m.last, true
}

// meanW is the mean of a rail's readings over the last minute; name "" is the
// module's total.
func (sh *shared) meanW(name string) tegra.Val[float64] {
	sum, n := 0.0, 0
	for _, s := range sh.history {
		if s.T < sh.sample.T-time.Minute || s.T > sh.sample.T {
			continue
		}
		if v := railW(s.Reading, name); v.OK {
			sum, n = sum+v.V, n+1
		}
	}
	return tegra.Val[float64]{V: sum / float64(max(n, 1)), OK: n > 0}
}

func railW(r tegra.Reading, name string) tegra.Val[float64] {
	if name == "" {
		return r.TotalW
	}
	for _, rail := range r.Rails {
		if rail.Name == name {
			return rail.PowerW
		}
	}
	return tegra.Val[float64]{}
}
