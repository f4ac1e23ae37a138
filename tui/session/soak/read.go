package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"jtune/internal/safefile"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/telemetry"
	"jtune/telemetry/hold"
	"jtune/telemetry/sources"
	"jtune/tui/session/campaigns"
)

// Kept is a stored soak.
type Kept struct {
	Dir    string
	Header record.Header
	Limits metric.Limits
	IdleC  float64 // hottest zone of the board at rest before; 0: unknown
	Result hold.Result
	Ended  bool   // a verdict was stored; else it is computed from the samples
	Course []Seen // samples in order
}

// Is reports whether a campaign is a soak.
func Is(h record.Header) bool {
	return h.Plan.Kind == campaigns.RunKind && h.Plan.Source == campaigns.SoakSource
}

// mostResult bounds the size of a stored verdict.
const mostResult = 1 << 20

// Read reads a soak's folder, even of a killed soak.
func Read(dir string) (Kept, error) {
	head, _, err := record.Read(dir)
	if err != nil {
		return Kept{}, err
	}
	if !Is(head) {
		return Kept{}, fmt.Errorf("%s holds no soak", dir)
	}
	p, err := readPlan(dir)
	if err != nil {
		return Kept{}, err
	}
	k := Kept{Dir: dir, Header: head, Limits: p.Limits, IdleC: p.IdleC}
	if k.Course, err = readCourse(dir, p); err != nil && !errors.Is(err, errNoSamples) {
		return Kept{}, err
	}
	path := filepath.Join(dir, ResultName)
	data, err := safefile.Read(path, mostResult)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		board := head.Device.Board()
		board.Rails = head.Device.Rails
		k.Result = worked(p, board, k.Course, hold.Ending{Cut: "cut off", Asked: p.asked()})
	case err != nil:
		return Kept{}, fmt.Errorf("soak: %w", err)
	default:
		k.Ended = true
		if err := json.Unmarshal(data, &k.Result); err != nil {
			return Kept{}, fmt.Errorf("%s: %w", path, err)
		}
		if err := k.Result.Check(); err != nil {
			return Kept{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	k.Result.Virtual = head.Device.Virtual
	return k, nil
}

// worked judges stored samples exactly as they would have been judged live.
func worked(p plan, b tegra.Board, course []Seen, e hold.Ending) hold.Result {
	begun := time.Time{}
	if len(course) > 0 {
		begun = course[0].Wall
	}
	w := p.watcher(b, 0, begun)
	replay(w, course, func(time.Duration) {})
	e.Load = p.Load
	return w.Judge(e, p.mode())
}

// replay passes stored samples to a new watcher and calls taken with the time of each.
func replay(w *hold.Watcher, course []Seen, taken func(at time.Duration)) {
	var look *sources.Sources // of a folder that does not hold its faults
	for i, s := range course {
		at := w.Begun() + time.Duration(s.AtS*float64(time.Second))
		if s.Part.V != w.Part() {
			w.GoesOn(at, s.Wall)
		}
		if i == 0 && !s.watched {
			look = sources.New(s.Reading, sources.Funcs{}, tegra.State{})
		}
		if look != nil {
			s.Faults = look.Look(at, s.Reading)
		}
		w.Take(telemetry.Sample{T: at, Reading: s.Reading, Valid: true, Faults: s.Faults}, s.Wall)
		taken(at)
	}
}
