package imports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/internal/safefile"
	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

const (
	// maxRawFile is the largest log that is read: days of one row a second.
	maxRawFile = 32 << 20
	// maxRawSum is the largest total size of all runs' logs.
	maxRawSum = 64 << 20
	// maxRawRows is the most rows of a log: eleven days of one row a second.
	maxRawRows = 1_000_000
	// maxRawColumns is the most columns of a log.
	maxRawColumns = 1000
)

// rawRun holds the logs of one mode, by kind.
type rawRun struct {
	dir  string // its location, for messages
	set  string // name of the parent folder: the workload
	mode tegra.Mode
	logs map[string][]byte // epoch, fetch, compute, power

	perEpoch bool          // the epoch log has one row per epoch, not per minibatch
	batches  int           // minibatches per epoch of such a log, if no other log has it; 0: unknown
	power    []powerSample // if already parsed
}

// rawKinds maps the ends of log names to kinds.
var rawKinds = map[string]string{"epoch_stats.csv": "epoch", "fetch.csv": "fetch", "compute.csv": "compute",
	"tegrastats.csv": "power", "jtop.csv": "power", "tegrastats.txt": "power", "tegrastats.log": "power"}

// runName matches the name of a run's folder; the text before pm names the set.
var runName = regexp.MustCompile(`^(?:(.+)_)?pm_(\d+)_(\d+)_(\d+)_(\d+)$`)

// readRuns collects the runs in a folder or in a .tar.gz of one, sorted.
func readRuns(from string) ([]*rawRun, error) {
	found := map[string]*rawRun{}
	sum := 0
	take := func(name string, r io.Reader) error { return takeLog(found, &sum, name, r) }
	st, err := os.Stat(from)
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		err = eachFile(from, take)
	default:
		err = eachPacked(from, take)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	var runs []*rawRun
	for _, r := range found {
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%s: no folder pm_<cores>_<CPU kHz>_<GPU Hz>_<memory Hz> with logs in it", from)
	}
	sorted.By(runs, func(a, b *rawRun) int { return strings.Compare(a.dir, b.dir) })
	return runs, nil
}

// takeLog keeps a log from a run's folder, and adds its bytes to sum.
func takeLog(found map[string]*rawRun, sum *int, name string, r io.Reader) error {
	dir, file := path.Split(name)
	dir = path.Clean(dir)
	m := runName.FindStringSubmatch(path.Base(dir))
	kind := ""
	for ending, k := range rawKinds {
		if strings.HasSuffix(file, ending) {
			kind = k
		}
	}
	if m == nil || kind == "" {
		return nil
	}
	run := found[dir]
	if run == nil {
		mode, err := sweep.ParseMode(m[2:])
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		set := m[1]
		if set == "" {
			set = path.Base(path.Dir(dir))
		}
		run = &rawRun{dir: dir, set: set, mode: mode, logs: map[string][]byte{}}
		found[dir] = run
	}
	if run.logs[kind] != nil {
		return fmt.Errorf("%s: two logs that end alike, the second %s: a folder holds one run", dir, file)
	}
	text, err := bounded(name, r)
	run.logs[kind] = text
	if *sum += len(text); err == nil && *sum > maxRawSum {
		err = fmt.Errorf("the logs are larger than %d MB together", maxRawSum>>20)
	}
	return err
}

// ModeOfName parses a mode from the name of a run's folder or from a sweep file: pm_<cores>_<CPU kHz>_<GPU Hz>_<memory
// Hz>, or the four values separated by commas.
func ModeOfName(name string) (tegra.Mode, error) {
	m := runName.FindStringSubmatch("pm_" + strings.ReplaceAll(strings.TrimPrefix(name, "pm_"), ",", "_"))
	if m == nil {
		return tegra.Mode{}, fmt.Errorf(
			"%q is not a mode: want cores,CPU kHz,GPU Hz,memory Hz such as 12,2201600,1300500000,3199000000",
			text.Clip(name),
		)
	}
	return sweep.ParseMode(m[2:])
}

func eachFile(root string, take func(string, io.Reader) error) error {
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		abs, err := filepath.Abs(at) // the parent folder may be root itself
		if err != nil {
			return err
		}
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		defer f.Close()
		return take(filepath.ToSlash(abs), f)
	})
}

func eachPacked(file string, take func(string, io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return unpack(f, take)
}

func unpack(r io.Reader, take func(string, io.Reader) error) error {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	for t := tar.NewReader(safefile.Most(unzipped, safefile.MostBytes)); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := take(path.Clean(h.Name), t); err != nil {
			return err
		}
	}
}

// header returns the columns of a CSV; nil when its first line is no header.
func header(text []byte) []string {
	head, err := sweep.NewLines(bytes.NewReader(text), 1).Next()
	if err != nil {
		return nil
	}
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
	}
	return head
}

// calendar is the column of jtop logs with the calendar time.
const calendar = "time"

// numbers reads named columns of a CSV log, row by row. A row with a value that is not a finite number is skipped when
// it is the last, torn one, and is an error otherwise. Calendar times become seconds.
func numbers(text []byte, names ...string) ([][]float64, error) {
	head := header(text)
	if len(head) > maxRawColumns {
		return nil, fmt.Errorf("%d columns, at most %d", len(head), maxRawColumns)
	}
	at := make([]int, len(names))
	for i, n := range names {
		if at[i] = slices.Index(head, n); at[i] < 0 {
			return nil, fmt.Errorf("no column %q", n)
		}
	}
	lines := sweep.NewLines(bytes.NewReader(text), maxRawRows)
	if _, err := lines.Next(); err != nil {
		return nil, err
	}
	var rows [][]float64
	bad := 0 // line of a bad row
	for {
		record, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil && record == nil {
			return nil, fmt.Errorf("line %d: %w", lines.Number, err)
		}
		line := lines.Number
		if bad > 0 {
			return nil, fmt.Errorf("line %d: no numbers in %s", bad, strings.Join(names, ", "))
		}
		row := make([]float64, len(names))
		for i, c := range at {
			if c >= len(record) {
				bad = line
				break
			}
			cell := strings.TrimSpace(record[c])
			if names[i] == calendar {
				when, err := time.Parse("2006-01-02 15:04:05", cell) // a fraction may follow
				if err != nil {
					return nil, fmt.Errorf("line %d: time %q", line, cell[:min(len(cell), 40)])
				}
				row[i] = float64(when.UnixMicro()) / 1e6
				continue
			}
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				bad = line
				break
			}
			row[i] = v
		}
		if bad == 0 {
			rows = append(rows, row)
		}
	}
}
