package profiles

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"jtune/profiles/harness"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// Files of a campaign folder.
const (
	headerName      = "campaign.toml"
	modesName       = "modes.csv"
	samplesName     = "samples.csv"
	minibatchesName = "minibatches.csv"
	runsName        = "runs.csv"
	logName         = "log.txt"
)

var (
	sampleColumns    = slices.Concat([]string{"t_s"}, sweep.Columns[:4], []string{"power_w", "valid", "why"})
	minibatchColumns = slices.Concat([]string{"t_s"}, sweep.Columns[:4], []string{"epoch", "batch", "time_ms", "fetch_ms", "stall_ms", "compute_ms", "overhead_ms", "clean"})
)

// sizeColumn follows the known ones in modes.csv, samples.csv and
// minibatches.csv of a campaign of several minibatch sizes.
const sizeColumn = "bs"

// Record is a campaign's folder: campaign.toml, modes.csv with a row per
// finished mode, runs.csv with what each was like, the raw samples.csv and
// minibatches.csv, and a folder of logs for each mode. It is safe for use by
// several goroutines.
type Record struct {
	dir    string
	header Header
	lock   *os.File
	notes  []string
	extra  []string // names of the columns of modes.csv beyond those known

	mu          sync.Mutex
	rows        []Row
	modes       *appendFile
	samples     *appendFile
	minibatches *appendFile
	logged      int64 // bytes of the job's log that stood there before the mode in progress
	runs        *appendFile
	runsWidth   int // columns of runs.csv: an older jtune's has fewer
}

var _ RawLog = (*Record)(nil)

// Create makes a new campaign folder. The folder must not exist, or be empty.
func Create(dir string, h Header) (*Record, error) { return create(dir, h, nil) }

// create is Create with more columns in modes.csv than jtune knows.
func create(dir string, h Header, extra []string) (*Record, error) {
	held, err := holdsCampaign(dir)
	if err == nil && held {
		err = fmt.Errorf("folder %s already holds a campaign; give a new folder", dir)
	}
	if err != nil {
		return nil, err
	}
	return openOrCreate(dir, h, held, extra)
}

// OpenOrCreate is what profile --out DIR [--resume] asks for: a new folder,
// or with resume one that holds the same campaign as h.
func OpenOrCreate(dir string, h Header, resume bool) (*Record, error) {
	held, err := holdsCampaign(dir)
	if err != nil {
		return nil, err
	}
	if held && !resume {
		return nil, fmt.Errorf("folder %s already holds a campaign: --resume continues it, a new folder begins another", dir)
	}
	return openOrCreate(dir, h, held, nil)
}

func openOrCreate(dir string, h Header, held bool, extra []string) (*Record, error) {
	if err := MakeDir(dir); err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	r, err := lockRecord(dir)
	if err != nil {
		return nil, err
	}
	if r.extra = extra; h.Plan.Kind == ExperimentKind {
		r.extra = variantColumns
	}
	if held {
		if r.header, err = readHeader(dir); err == nil {
			err = r.header.checkResume(h)
		}
		if err != nil {
			err = fmt.Errorf("cannot resume %s: %w", dir, err)
		}
	} else {
		h.Format, h.Settings = headerFormat, h.Settings.withDefaults()
		r.header = h
		err = errors.Join(Own(dir), writeHeader(dir, h))
	}
	if err != nil {
		unlockFolder(r.lock)
		return nil, err
	}
	return r.open()
}

// holdsCampaign tells whether a folder holds one. A folder that was left
// before its plan was written holds none and may be taken; any other file in
// it is an error.
func holdsCampaign(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("campaign folder: %w", err)
	}
	for _, e := range entries {
		switch e.Name() {
		case headerName:
			return true, nil
		case lockName, logName, headerName + ".tmp":
		default:
			return false, fmt.Errorf("folder %s is not empty (%s) and holds no campaign; give a new folder", dir, e.Name())
		}
	}
	return false, nil
}

func lockRecord(dir string) (*Record, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	return &Record{dir: dir, lock: lock}, nil
}

// modesColumns are those of modes.csv: the known ones, then those that an
// import brought, which stand in the file when there is one.
func (r *Record) modesColumns() []string {
	known := r.sized(Columns)
	if names := r.standing(modesName); len(names) > len(known) && slices.Equal(names[:len(known)], known) {
		r.extra = slices.Clone(names[len(known):])
	}
	return slices.Concat(known, r.extra)
}

// standing are the columns of a file of the folder; nil where it tells none.
func (r *Record) standing(name string) []string {
	f, err := os.Open(filepath.Join(r.dir, name))
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := csv.NewReader(f).Read()
	if err != nil {
		return nil
	}
	return names
}

// sized adds the column of the minibatch size where the campaign has several.
func (r *Record) sized(columns []string) []string {
	if r.header.Plan.Batches == nil {
		return columns
	}
	return slices.Concat(columns, []string{sizeColumn})
}

// withSize is sized for a line.
func (r *Record) withSize(line []string, batch int) []string {
	if r.header.Plan.Batches == nil {
		return line
	}
	return append(line, strconv.Itoa(batch))
}

func (r *Record) open() (*Record, error) {
	for _, file := range []struct {
		to      **appendFile
		name    string
		columns []string
	}{{&r.modes, modesName, r.modesColumns()}, {&r.samples, samplesName, r.sized(sampleColumns)}, {&r.minibatches, minibatchesName, r.sized(minibatchColumns)}, {&r.runs, runsName, r.runsColumns()}} {
		a, note, err := openAppend(filepath.Join(r.dir, file.name), file.columns)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("campaign folder: %w", err)
		}
		*file.to = a
		if err := Own(filepath.Join(r.dir, file.name)); err != nil {
			r.Close()
			return nil, fmt.Errorf("campaign folder: %w", err)
		}
		if note != "" {
			r.notes = append(r.notes, note)
		}
	}
	rows, bad, err := readRows(r.dir)
	if err != nil {
		r.Close()
		return nil, err
	}
	r.rows, r.notes = rows, append(r.notes, bad...)
	if st, err := os.Stat(r.Log()); err == nil {
		r.logged = st.Size()
	}
	return r, nil
}

// readRows reads modes.csv. A line that is no row is told in bad and left out:
// its mode will be measured again.
func readRows(dir string) (rows []Row, bad []string, err error) {
	f, err := os.Open(filepath.Join(dir, modesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("campaign folder: %w", err)
	}
	defer f.Close()
	return parseRows(f)
}

func parseRows(r io.Reader) (rows []Row, bad []string, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", modesName, err)
	}
	width, sized := len(Columns), false
	eachLine(text, func(n int, fields []string, err error) {
		if n == 1 { // header
			width = max(width, len(fields))
			sized = len(fields) > len(Columns) && fields[len(Columns)] == sizeColumn
			return
		}
		var row Row
		switch {
		case err != nil:
		case len(fields) != width:
			err = fmt.Errorf("%d fields where %d belong", len(fields), width)
		default:
			row, err = parseSized(fields, sized)
		}
		if err != nil {
			bad = append(bad, unreadable(modesName, n, err))
			return
		}
		rows = append(rows, row)
	})
	return rows, bad, nil
}

// unreadable is the note on a line that is left out.
func unreadable(file string, n int, err error) string {
	return fmt.Sprintf("%s: line %d is unreadable and left out: %v", file, n, err)
}

// Read gives header and rows of a campaign folder without locking it; the
// campaign may be running. Lines that are no rows are left out.
func Read(dir string) (Header, []Row, error) {
	h, rows, _, err := ReadNoted(dir)
	return h, rows, err
}

// ReadNoted is Read with a note on each line of modes.csv that is no row.
func ReadNoted(dir string) (h Header, rows []Row, notes []string, err error) {
	if h, err = readHeader(dir); err != nil {
		return h, nil, nil, err
	}
	rows, notes, err = readRows(dir)
	for i, n := range notes {
		notes[i] = filepath.Join(dir, n)
	}
	return h, rows, notes, err
}

// Header gives campaign.toml.
func (r *Record) Header() Header { return r.header }

// Dir is the folder.
func (r *Record) Dir() string { return r.dir }

// Log is the file for what the harness says besides events.
func (r *Record) Log() string { return filepath.Join(r.dir, logName) }

// Notes tells what was repaired on opening.
func (r *Record) Notes() []string { return slices.Clone(r.notes) }

// Rows lists the finished modes in the order in which they were measured.
func (r *Record) Rows() []Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.rows)
}

// Append writes a row, and what is raw before it, and syncs to disk.
func (r *Record) Append(row Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.modes == nil {
		return errClosed
	}
	extra := make([]string, len(r.extra))
	copy(extra, row.Extra)
	r.modes.add(append(r.withSize(row.fields(), row.Batch), extra...))
	if err := r.modes.flush(true); err != nil {
		r.modes.wait.Reset()
		return fmt.Errorf("recording in %s: %w", r.dir, err)
	}
	r.rows = append(r.rows, row)
	if err := errors.Join(r.samples.flush(false), r.minibatches.flush(false), r.keepLog(row)); err != nil {
		return fmt.Errorf("recording in %s: %w", r.dir, err)
	}
	return nil
}

// Minibatch keeps a raw minibatch.
func (r *Record) Minibatch(s Step, e harness.Event, clean bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.minibatches == nil {
		return errClosed
	}
	r.minibatches.add(r.withSize(slices.Concat([]string{seconds(e.T)}, sweep.Fields(tegra.Measured{Mode: s.Mode})[:4], []string{strconv.Itoa(e.Epoch), strconv.Itoa(e.Batch),
		decimal(e.TimeMS), optional(e.FetchMS), optional(e.StallMS), optional(e.ComputeMS), optional(e.OverheadMS), strconv.FormatBool(clean)}), s.Batch))
	return r.minibatches.spill()
}

// Sample keeps a raw power sample.
func (r *Record) Sample(s Step, t time.Duration, powerW tegra.Val[float64], valid bool, why string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.samples == nil {
		return errClosed
	}
	r.samples.add(r.withSize(slices.Concat([]string{seconds(t)}, sweep.Fields(tegra.Measured{Mode: s.Mode})[:4], []string{optional(powerW), strconv.FormatBool(valid), oneLine(why)}), s.Batch))
	return r.samples.spill()
}

// Attach puts a file of that name beside the record, or replaces it.
func (r *Record) Attach(name string, content []byte) error {
	path := filepath.Join(r.dir, name)
	if err := errors.Join(writeSynced(path+".tmp", content), Own(path+".tmp")); err != nil {
		return fmt.Errorf("writing %s: %w%s", path, err, remedy(err))
	}
	return os.Rename(path+".tmp", path)
}

// seconds prints device time with a millisecond's digits.
func seconds(t time.Duration) string { return strconv.FormatFloat(t.Seconds(), 'f', 3, 64) }

// Close releases the folder.
func (r *Record) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, a := range []*appendFile{r.modes, r.samples, r.minibatches, r.runs} {
		if a != nil {
			errs = append(errs, a.close())
		}
	}
	r.modes, r.samples, r.minibatches, r.runs = nil, nil, nil, nil
	if r.lock != nil {
		errs = append(errs, unlockFolder(r.lock))
		r.lock = nil
	}
	return errors.Join(errs...)
}
