package soak

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles"
	"jtune/profiles/record"
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
// nil stores nothing.
type files struct {
	dir  string
	plan plan
	past []Seen         // samples before the resume
	rec  *record.Record // nil: no record
	f    *os.File
	out  *csv.Writer

	mu     sync.Mutex
	stepMS tegra.Val[float64] // of the job's newest step
	rails  []string
	course course
	mark   string
	err    error // first write error
}

// keep creates the folder of a soak, or opens that of an interrupted one and takes over its request. before is a
// reading of the idle board.
func keep(s *session.Session, r *Request, before tegra.Reading) (k *files, err error) {
	board := s.Device.Board()
	k = &files{mark: strconv.FormatBool(board.Virtual), rails: board.Rails}
	var counted []string
	for _, one := range before.Signals {
		if one.Count.OK {
			counted = append(counted, one.Name)
		}
	}
	k.course = courseOf(columnsOf(board.Rails, counted))
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
		err = k.open()
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
	if k.plan.IdleC = idle.Hottest().Or(0); k.rec == nil || len(k.past) > 0 {
		return nil
	}
	return k.plan.write(k.dir)
}

// begins stores the state of the board when its load begins.
func (k *files) begins(now tegra.Reading, w *sources.Sources) error {
	if k.plan.begins(now, w); k.rec == nil {
		return nil
	}
	return k.plan.write(k.dir)
}

// open opens the samples file and writes the header of a new one.
func (k *files) open() (err error) {
	if k.f, err = safefile.Open(filepath.Join(k.dir, SamplesName), os.O_RDWR|os.O_APPEND); err != nil {
		return err
	}
	k.out = csv.NewWriter(k.f)
	st, err := k.f.Stat()
	if err != nil {
		return err
	}
	if st.Size() > 0 { // end a torn last line
		if err := k.asBegun(); err != nil {
			return err
		}
		last := make([]byte, 1)
		if _, err := k.f.ReadAt(last, st.Size()-1); err == nil && last[0] != '\n' {
			_, k.err = k.f.WriteString("\n")
		}
		return k.err
	}
	k.line(slices.Concat(k.course.Columns, []string{"virtual"}))
	return k.err
}

// asBegun takes over the columns of the file, which an earlier release may have begun: a line that does not fit its
// header would be lost. A column that is not known is left empty.
func (k *files) asBegun() error {
	line, err := bufio.NewReader(io.NewSectionReader(k.f, 0, mostHeader)).ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s: no header: %w", SamplesName, err)
	}
	head, err := csv.NewReader(strings.NewReader(line)).Read()
	if err != nil || len(head) < 2 {
		return fmt.Errorf("%s: %q is no header", SamplesName, text.Clip(line))
	}
	k.course = courseOf(head[:len(head)-1]) // the last marks a simulation
	return nil
}

// mostHeader bounds the first line of the samples.
const mostHeader = 64 << 10

// loads stores what the job reports to keep busy.
func (k *files) loads(what string) {
	if k.plan.Load = what; k.rec == nil {
		return
	}
	if err := k.plan.write(k.dir); err != nil && k.err == nil {
		k.err = err
	}
}

// log returns the file for the job's output besides events; "" for none.
func (k *files) log() string {
	if k.rec == nil {
		return ""
	}
	return k.rec.Log()
}

// step sets the time of the job's latest step.
func (k *files) step(ms float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.stepMS = tegra.Some(ms)
}

func (k *files) line(fields []string) {
	if err := k.out.Write(fields); err == nil {
		k.out.Flush()
	}
	if err := k.out.Error(); err != nil && k.err == nil {
		k.err = err
	}
}

// sample stores a reading; values that the board does not report stay empty.
func (k *files) sample(seen Seen, s telemetry.Sample) {
	if k.out == nil {
		return
	}
	k.mu.Lock()
	seen.StepMS = k.stepMS
	k.mu.Unlock()
	seen.Reading, seen.Faults = s.Reading, s.Faults
	seen.Reading.Rails = make([]tegra.RailReading, len(k.rails))
	for i, name := range k.rails {
		for _, rail := range s.Reading.Rails {
			if rail.Name == name {
				seen.Reading.Rails[i] = rail
			}
		}
		seen.Reading.Rails[i].Name = name
	}
	k.line(append(k.course.print(seen), k.mark))
}

// result stores the verdict.
func (k *files) result(r Result, cut bool) error {
	if k.rec == nil {
		return nil
	}
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
	switch {
	case k.rec == nil:
		return nil
	case ctx.Err() != nil:
		return k.rec.End(profiles.Interrupted.String())
	}
	return k.rec.End(profiles.Broken.String())
}

func (k *files) close() {
	if k.f != nil {
		_ = k.f.Close()
	}
	if k.rec != nil {
		_ = k.rec.Close()
	}
}
