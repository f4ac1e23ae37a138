package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"jtune/internal/safefile"
	"jtune/profiles"
	"jtune/profiles/record"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/telemetry/sources"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
)

// Files of a soak, besides those of every campaign.
const (
	SamplesName = "soak.csv"           // one line per second, written immediately
	ResultName  = campaigns.SoakResult // the verdict
)

// files writes what a soak stores. Each sample is on disk before the next is taken, so that a crash loses no sample.
type files struct {
	dir  string
	plan plan
	past []Seen // samples before the resume
	rec  *record.Record
	out  *csvlines.File // of the samples

	codec  csvlines.Codec[line]
	err    error // first write error
	mu     sync.Mutex
	stepMS tegra.Val[float64] // of the job's newest step
}

// keep creates the folder of a soak, or opens that of an interrupted one and takes over its request. before is a
// reading of the idle board.
func keep(s *session.Session, r *Request, before tegra.Reading) (k *files, err error) {
	board := s.Device.Board()
	k = &files{}
	var counted []string
	for _, one := range before.Signals {
		if one.Count.OK {
			counted = append(counted, one.Name)
		}
	}
	if r.Resume {
		err = k.continued(r)
	} else {
		k.plan = planOf(*r, s.Setup().Mode, before)
	}
	if err != nil {
		return k, err
	}
	plan := record.PlanHeader{Kind: campaigns.RunKind, Modes: 1, Source: campaigns.SoakSource}
	head := campaigns.HeaderOf(s, r.Workload, plan, nil, record.Settings{SampleEvery: sampleEvery})
	if k.rec, err = campaigns.Record(s, r.Dir, head, r.Resume); err != nil {
		return nil, err
	}
	if k.dir = k.rec.Dir(); r.Resume {
		err = os.Remove(filepath.Join(k.dir, ResultName))
		if os.IsNotExist(err) {
			err = nil
		}
	} else {
		err = k.plan.write(k.dir)
	}
	if err == nil {
		err = k.open(board, counted)
	}
	if err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

// continued loads the soak that a request resumes.
func (k *files) continued(r *Request) (err error) {
	k.plan, err = readPlan(r.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no soak in %s to continue", r.Dir)
	case err != nil:
		return err
	}
	if record.Ended(r.Dir) == "complete" {
		return fmt.Errorf("the soak in %s is complete: there is nothing to resume", r.Dir)
	}
	if k.past, err = readCourse(r.Dir, k.plan); err != nil && err != errNoSamples {
		return err
	}
	*r = k.plan.resumes(*r)
	return nil
}

// rested stores the state of the board after its rest.
func (k *files) rested(idle tegra.Reading) error {
	if k.plan.IdleC = idle.Hottest().Or(0); len(k.past) > 0 {
		return nil
	}
	return k.plan.write(k.dir)
}

// begins stores the state of the board when its load begins.
func (k *files) begins(now tegra.Reading, w *sources.Sources) error {
	k.plan.begins(now, w)
	return k.plan.write(k.dir)
}

// open opens the samples file. One that an earlier release may have begun keeps its columns; a column that is not known
// is left empty.
func (k *files) open(board tegra.Board, signals []string) (err error) {
	path := filepath.Join(k.dir, SamplesName)
	columns := csvlines.Columns(path)
	if columns == nil {
		columns = columnsOf(board.Rails, signals)
	}
	k.codec = csvlines.NewCodec[line](columns)
	k.out, _, err = csvlines.Open(path, columns, board.Virtual)
	return err
}

// loads stores what the job reports to keep busy.
func (k *files) loads(what string) {
	k.plan.Load = what
	if err := k.plan.write(k.dir); err != nil && k.err == nil {
		k.err = err
	}
}

// step sets the time of the job's latest step.
func (k *files) step(ms float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stepMS = tegra.Some(ms)
}

// sample stores a reading; values that the board does not report stay empty.
func (k *files) sample(seen Seen, s telemetry.Sample) {
	k.mu.Lock()
	seen.StepMS = k.stepMS
	k.mu.Unlock()
	seen.Reading, seen.Faults = s.Reading, s.Faults
	l := seen.line()
	k.out.Add(k.codec.Print(&l))
	if err := k.out.Flush(false); err != nil && k.err == nil {
		k.err = err
	}
}

// result stores the verdict.
func (k *files) result(r Result, cut bool) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = safefile.Replace(filepath.Join(k.dir, ResultName), append(text, '\n'))
	}
	how := "complete"
	if cut {
		how = "interrupted"
	}
	if err == nil {
		err = k.rec.End(how)
	}
	if err == nil {
		err = k.err
	}
	return err
}

// failed records that the load could not run, or that the soak was interrupted.
func (k *files) failed(ctx context.Context) error {
	if ctx.Err() != nil {
		return k.rec.End(profiles.Interrupted.String())
	}
	return k.rec.End(profiles.Broken.String())
}

func (k *files) close() {
	if k.out != nil {
		_ = k.out.Close()
	}
	_ = k.rec.Close()
}
