package run

import (
	"jtune/internal/text"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/measure"
)

// mostRaw caps the minibatches and samples kept of a run: about 90 MB, four days of the fastest workload at 2
// minibatches a second.
const mostRaw = 1_000_000

// rawRun writes the minibatches and samples of a run to its folder. nil: there is no folder.
type rawRun struct {
	rec     *record.Record
	at      tegra.Setting
	observe measure.Observer
	lines   int
}

// sample adds a reading; settled: power was steady before.
func (r *rawRun) sample(s telemetry.Sample, settled bool) {
	if r != nil {
		r.write(func() error { return r.rec.Sample(r.at, record.Settled(s, settled)) })
	}
}

// minibatch adds a minibatch; why is the reason that it does not count, "" if it counts.
func (r *rawRun) minibatch(e harness.Event, why string) {
	if r != nil {
		r.write(func() error { return r.rec.Minibatch(r.at, e, why) })
	}
}

// write writes a line unless there are too many or the disk is full.
func (r *rawRun) write(line func() error) {
	switch r.lines++; {
	case r.lines > mostRaw:
	case r.lines == mostRaw:
		r.observe.Note("the run is long: only its first " + text.Thousands(mostRaw) +
			" minibatches and samples are recorded")
	default:
		if err := line(); err != nil {
			r.lines = mostRaw
			r.observe.Note("minibatches and samples are no longer recorded: " + err.Error())
		}
	}
}
