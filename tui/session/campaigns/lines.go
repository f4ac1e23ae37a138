package campaigns

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/sorted"
	"jtune/profiles/record"
	"jtune/tui/session"
)

// Line is a campaign in a list.
type Line struct {
	Name, Dir             string
	Workload, Fingerprint string
	Device                string
	Virtual               bool
	Modes, Usable         int
	Started               time.Time
	Strategy              string
	Seed                  uint64
	Ended                 CampaignState // state if no process holds the folder
	Pool                  string        // whose model may lack its rows; "": none does
	Err                   error         // the folder could not be read as a campaign
}

// LineOf returns the line of a campaign; identify returns the fingerprint of its workload, and its pool.
func LineOf(c Campaign, identify func(Campaign) (fingerprint, pool string)) Line {
	if c.Err != nil {
		return Line{Name: c.Name, Dir: c.Dir, Err: c.Err}
	}
	fingerprint, pool := identify(c)
	return Line{c.Name, c.Dir, c.Header.Workload.Name, fingerprint, c.Header.Device.Name, c.Header.Device.Virtual,
		c.Modes(), c.Usable(), c.Header.Created.UTC(), c.strategy(), c.Header.Seed, c.State(nil), pool, nil}
}

// State returns the state of the campaign; held are the folders that processes hold.
func (l *Line) State(held []record.Running) CampaignState {
	if slices.ContainsFunc(held, func(r record.Running) bool { return SameFolder(r.Dir, l.Dir) }) {
		return CampaignRunning
	}
	return l.Ended
}

// The index caches the lines of a folder with many campaigns, so that a list reads only those that have changed.
//
//	folder/.index ──► lines with stamps ──► stamp as now? ──► list
//	folder/NAME/… ──► read where not ────────────────────────┘ └──► folder/.index
const (
	indexName   = ".index"
	indexFormat = "2"
	indexFrom   = 100      // campaigns
	mostIndex   = 64 << 20 // bytes
	// A file written this recently may change again without a new modification time.
	settled = 2 * time.Second
)

// Lines lists the campaigns of a folder, the oldest first.
func Lines(parent string, identify func(Campaign) (fingerprint, pool string)) ([]Line, error) {
	entries, err := folders(parent)
	if err != nil {
		return nil, err
	}
	known := readIndex(parent)
	type stamped struct {
		Line
		stamp string // "": do not cache
		fresh bool   // not in the index yet
	}
	began := time.Now()
	all := parallel(entries, func(dir string) stamped {
		stamp, changed := record.Stamp(dir)
		name := filepath.Base(dir)
		if k, ok := known[name]; ok && k.stamp == stamp {
			if l, err := k.line(dir); err == nil {
				return stamped{l, stamp, false}
			}
		}
		l := LineOf(ReadCampaignFolder(dir), identify)
		if l.Err != nil || began.Sub(changed) < settled {
			stamp = ""
		}
		return stamped{l, stamp, stamp != ""}
	})
	if fresh := slices.ContainsFunc(all, func(s stamped) bool { return s.fresh }); fresh && len(all) >= indexFrom {
		records := [][]string{{indexFormat, session.Version}}
		for _, s := range all {
			if s.stamp != "" {
				records = append(records, s.record(s.stamp))
			}
		}
		writeIndex(parent, records)
	}
	out := make([]Line, len(all))
	for i, s := range all {
		out[i] = s.Line
	}
	sorted.Stable(out, func(a, b Line) int { return a.Started.Compare(b.Started) })
	return out, nil
}

// indexed is a line of the index.
type indexed struct {
	stamp  string
	fields []string
}

const indexFields = 13

// record returns the line as stored in the index.
func (l *Line) record(stamp string) []string {
	return []string{l.Name, stamp, l.Workload, l.Fingerprint, l.Device, strconv.FormatBool(l.Virtual),
		strconv.Itoa(l.Modes), strconv.Itoa(l.Usable), l.Started.Format(time.RFC3339Nano), l.Strategy,
		strconv.FormatUint(l.Seed, 10), string(l.Ended), l.Pool}
}

func (x *indexed) line(dir string) (Line, error) {
	f := x.fields
	virtual, err1 := strconv.ParseBool(f[5])
	modes, err2 := strconv.Atoi(f[6])
	usable, err3 := strconv.Atoi(f[7])
	started, err4 := time.Parse(time.RFC3339Nano, f[8])
	seed, err5 := strconv.ParseUint(f[10], 10, 64)
	ended := CampaignState(f[11])
	err := errors.Join(err1, err2, err3, err4, err5)
	if ended != CampaignFinished && ended != CampaignInterrupted {
		err = fmt.Errorf("state %q", ended)
	}
	return Line{f[0], dir, f[2], f[3], f[4], virtual, modes, usable, started, f[9], seed, ended, f[12], nil}, err
}

// readIndex reads the index of a folder, by campaign name; nil if another version wrote it.
func readIndex(parent string) map[string]indexed {
	text, err := safefile.Read(filepath.Join(parent, indexName), mostIndex)
	if err != nil {
		return nil
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if err != nil || !slices.Equal(head, []string{indexFormat, session.Version}) {
		return nil
	}
	known := map[string]indexed{}
	for {
		f, err := r.Read()
		if err != nil || len(f) != indexFields {
			return known
		}
		known[f[0]] = indexed{f[1], f}
	}
}

// writeIndex saves the index if the folder is writable; without it a list only takes longer.
func writeIndex(parent string, records [][]string) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if w.WriteAll(records) == nil {
		_ = safefile.Replace(filepath.Join(parent, indexName), b.Bytes())
	}
}

// folders lists the folders in a folder; none if it does not exist.
func folders(parent string) (dirs []string, err error) {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("campaigns: %w", err)
	}
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if is := e.IsDir(); is || e.Type()&fs.ModeSymlink != 0 && isDir(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// parallel calls of for each item concurrently and returns the results in order.
func parallel[T any](list []string, of func(string) T) []T {
	out := make([]T, len(list))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				out[i] = of(list[i])
			}
		})
	}
	all.Wait()
	return out
}
