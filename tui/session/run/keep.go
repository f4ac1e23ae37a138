package run

import (
	"errors"
	"os"
	"strings"
	"time"

	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/measure"
)

// runRecord is the campaign folder of a single run: one row if a mode expresses the board's state and power became
// steady. nil: the run is not recorded.
type runRecord struct {
	s       *session.Session
	r       measure.RunRequest
	rec     *record.Record
	began   time.Duration
	mode    tegra.Val[tegra.Mode]
	observe measure.Observer
}

// recordOfRun creates the folder of a run. If that fails, the run continues without one.
func recordOfRun(s *session.Session, r measure.RunRequest, observe measure.Observer) *runRecord {
	if r.NoRecord {
		return nil
	}
	now, err := s.Device.Read()
	set := record.Settings{Minibatches: r.Minibatches, Epochs: r.Epochs, Base: r.Base, SampleEvery: r.Every,
		DVFS: err != nil || !now.Locked.OK || !now.Locked.V}
	plan := record.PlanHeader{Kind: campaigns.RunKind, Modes: 1}
	if r.Minibatches == 0 && r.Epochs == 0 {
		plan.Source = campaigns.WhenSteady
	}
	head := campaigns.HeaderOf(s, r.Workload, plan, nil, set)
	rec, err := campaigns.Record(s, "", head, false)
	if err != nil {
		observe.Note("the run is not recorded: " + err.Error())
		return nil
	}
	return &runRecord{s: s, r: r, rec: rec, began: s.Clock.Now(), mode: now.Mode, observe: observe}
}

// raw returns the writer of the run's raw data; nil if nothing is recorded.
func (k *runRecord) raw() *rawRun {
	if k == nil {
		return nil
	}
	return &rawRun{rec: k.rec, at: tegra.Setting{Mode: k.mode.V}, observe: k.observe}
}

// log returns the file for the job's output besides events; "" for none.
func (k *runRecord) log() string {
	if k == nil {
		return ""
	}
	return k.rec.Log()
}

// keep records the results of a run and updates the model of the workload's pool. It returns the folder; "" if nothing
// was measured.
func (k *runRecord) keep(out measure.RunResult, failed error) string {
	switch {
	case k == nil:
		return ""
	case out.Minibatches == 0 && out.Whole != nil && out.Reading == nil && !out.Refused && failed == nil:
		return k.keepWhole(out)
	case out.Minibatches == 0:
		return ""
	}
	row := record.Row{Measured: tegra.Measured{TimeMS: out.TimeMS, PowerW: out.PowerW.V, Errors: out.Error},
		TimeMedianMS: tegra.Some(out.MedianMS), Status: record.OK,
		Minibatches: out.Minibatches, StallMS: out.StallMS, ComputeMS: out.ComputeMS, OverheadMS: out.OverheadMS,
		EnergyJ: out.EnergyJ.Or(0), SettleS: out.SettleS.Or(0), TookS: (k.s.Clock.Now() - k.began).Seconds(),
		When: k.s.Clock.Wall(), Character: &out.Character}
	switch {
	case out.Hot != "":
		row.Status, row.Why = record.Hot, out.Hot
	case out.Settled == telemetry.Settling || !out.PowerW.OK:
		row.Status, row.Why = record.Failed, "the run ended before power was steady"
	case out.Settled == telemetry.Unstable:
		row.Status, row.Why = record.Unstable, "power never became steady"
	}
	var err error
	if after := k.s.Setup().Mode; k.mode.OK && after == k.mode {
		row.Mode, row.Applied = k.mode.V, k.mode.V
		err = k.rec.Append(row)
	} else if k.s.Host() != nil {
		run := record.Run{Status: record.OK, Why: "a machine without power modes", Character: out.Character}
		if out.Hot != "" {
			run.Status, run.Why = record.Hot, out.Hot
		}
		err = k.rec.AppendRun(run)
		row.Status = record.Failed // no model learns it
	} else { // the board was in no mode, or its mode changed
		err = k.rec.AppendRun(record.Run{Status: record.Failed, Why: "the board's clocks match no power mode",
			Character: out.Character})
		row.Status = record.Failed
	}
	if err == nil {
		err = k.rec.End("complete")
	}
	if err != nil {
		k.observe.Note("the run is not recorded: " + err.Error())
	}
	dir := k.rec.Dir()
	switch {
	case k.s.Host() != nil:
	case k.rec.Header().Settings.DVFS:
		k.observe.Note("the run is recorded, but no model learns from it: models describe locked clocks, and these " +
			"were free")
	default:
		measure.Update(k.s, k.r.Workload, nil, dir, record.Usable([]record.Row{row}), k.observe)
	}
	return dir
}

// keepWhole records a command that is measured from start to end as one unit; no model learns it.
func (k *runRecord) keepWhole(out measure.RunResult) string {
	o, c := out.Whole, out.Character
	c.All = record.Part{Epochs: 1, Minibatches: 1, Span: time.Duration(o.WallS * float64(time.Second)),
		TimeMS: 1000 * o.WallS, PowerW: o.MeanW, EnergyJ: o.EnergyJ}
	run := record.Run{Mode: k.mode.V, Status: record.OK, Why: "measured from start to end", Character: c}
	if err := errors.Join(k.rec.AppendRun(run), k.rec.End("complete")); err != nil {
		k.observe.Note("the run is not recorded: " + err.Error())
		return ""
	}
	return k.rec.Dir()
}

// cannot records that the workload did not run here, if that is why it ended: DNR is a result too.
func (k *runRecord) cannot(err error) (dir string) {
	if k == nil || err == nil || !strings.Contains(err.Error(), "did not run (DNR)") {
		return ""
	}
	run := record.Run{Mode: k.mode.V, Status: record.Failed, Why: text.OneLine(err.Error())}
	if failed := errors.Join(k.rec.AppendRun(run), k.rec.End("broken")); failed != nil {
		k.observe.Note("the result DNR is not recorded: " + failed.Error())
		return ""
	}
	return k.rec.Dir()
}

// close releases the folder and removes that of a run without a minibatch.
func (k *runRecord) close() {
	if k == nil {
		return
	}
	_ = k.rec.Close()
	if record.Ended(k.rec.Dir()) == "" {
		_ = os.RemoveAll(k.rec.Dir())
	}
}
