package soak

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/campaigns"
)

// Kept is a soak as its folder keeps it.
type Kept struct {
	Dir    string
	Header record.Header
	Limits Limits
	Result Result
	Ended  bool   // its verdict was kept; else it was worked out of the samples
	Course []Seen // the samples, in their order
}

// Is reports whether a campaign is a soak.
func Is(h record.Header) bool {
	return h.Plan.Kind == campaigns.RunKind && h.Plan.Source == campaigns.SoakSource
}

// mostResult bounds a kept verdict.
const mostResult = 1 << 20

// Read reads a soak's folder, also of one that was killed.
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
	k := Kept{Dir: dir, Header: head, Limits: p.limits()}
	if k.Course, err = readCourse(dir, p); err != nil && !errors.Is(err, errNoSamples) {
		return Kept{}, err
	}
	path := filepath.Join(dir, ResultName)
	data, err := safefile.Read(path, mostResult)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		board := head.Device.Board()
		board.Rails = head.Device.Rails
		k.Result = worked(p, board, k.Course, ending{cut: "cut off", asked: p.asked()})
	case err != nil:
		return Kept{}, fmt.Errorf("soak: %w", err)
	default:
		k.Ended = true
		if err := json.Unmarshal(data, &k.Result); err != nil {
			return Kept{}, fmt.Errorf("%s: %w", path, err)
		}
		if err := k.Result.check(); err != nil {
			return Kept{}, fmt.Errorf("%s: %w", path, err)
		}
	}
	k.Result.Dir, k.Result.Virtual = dir, head.Device.Virtual
	return k, nil
}

// check makes the texts of a verdict single lines, and is an error where it is none.
func (r *Result) check() error {
	switch r.Verdict {
	case Holds, DoesNotHold, NotSeen:
	default:
		return errors.New("its verdict is none")
	}
	r.Reason = text.OneLine(r.Reason)
	r.Peak.Rail.V, r.Least.Rail.V = text.OneLine(r.Peak.Rail.V), text.OneLine(r.Least.Rail.V)
	if r.Throttled != nil {
		r.Throttled.Clock = text.OneLine(r.Throttled.Clock)
	}
	r.Events = r.Events[:min(len(r.Events), mostEvents)]
	for i := range r.Events {
		r.Events[i].What = text.OneLine(r.Events[i].What)
	}
	return nil
}

// worked judges samples as they were judged when they came.
func worked(p plan, b tegra.Board, course []Seen, e ending) Result {
	w := p.watcher(b, 0, time.Time{})
	w.replay(course)
	return w.judge(e, p.mode())
}
