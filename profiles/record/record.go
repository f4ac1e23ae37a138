package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"jtune/internal/safefile"
	"jtune/internal/usage"
	"jtune/profiles/record/csvlines"
)

// Files of a campaign folder.
const (
	headerName      = "campaign.toml"
	modesName       = "modes.csv"
	samplesName     = "samples.csv"
	minibatchesName = "minibatches.csv"
	epochsName      = "epochs.csv"
	runsName        = "runs.csv"
	logName         = "log.txt"
)

// SizeColumn follows the other known columns in modes.csv, samples.csv and minibatches.csv of a
// campaign with several batch sizes.
const SizeColumn = "bs"

// Record is the folder of a campaign: campaign.toml, modes.csv with a row per finished mode,
// runs.csv with the character of each run, the raw samples.csv, minibatches.csv and epochs.csv, and a
// folder of logs for each mode. It is safe for use by several goroutines.
type Record struct {
	dir    string
	header Header
	lock   *os.File
	notes  []string
	extra  []string // names of the unknown columns of modes.csv

	mu             sync.Mutex
	rows           []Row
	modes          *csvlines.File
	samples        *csvlines.File
	minibatches    *csvlines.File
	epochs         *csvlines.File
	jobLog         string // see LogOf; "": Log
	logged         int64  // its length before the mode in progress
	runs           *csvlines.File
	names          []string // columns of modes.csv
	rowCodec       rowCodec
	runCodec       csvlines.Codec[runLine]
	sampleCodec    csvlines.Codec[sampleLine]
	minibatchCodec csvlines.Codec[minibatchLine]
	epochCodec     csvlines.Codec[epochLine]
	salvage        bool // holds another record's rows: not rescued again
}

// Create makes a new campaign folder. The folder must not exist, or be empty.
func Create(dir string, h Header) (*Record, error) { return CreateWith(dir, h, nil) }

// CreateWith is Create with further columns in modes.csv that jtune does not know.
func CreateWith(dir string, h Header, extra []string) (*Record, error) {
	held, err := holdsCampaign(dir)
	if err == nil && held {
		err = fmt.Errorf("folder %s already holds a campaign; give a new folder", dir)
	}
	if err != nil {
		return nil, err
	}
	return openOrCreate(dir, h, held, extra)
}

// Check returns an error when OpenOrCreate would not accept a folder, before other work is done.
func Check(dir string, h Header, resume bool) error {
	held, err := mayHold(dir, resume)
	if err != nil || !held {
		return err
	}
	_, err = headerToResume(dir, h)
	return err
}

// OpenOrCreate makes a new campaign folder, or with resume opens one that holds the same
// campaign as h.
func OpenOrCreate(dir string, h Header, resume bool) (*Record, error) {
	held, err := mayHold(dir, resume)
	if err != nil {
		return nil, err
	}
	return openOrCreate(dir, h, held, nil)
}

// mayHold is holdsCampaign with an error when the campaign may not be continued.
func mayHold(dir string, resume bool) (held bool, err error) {
	held, err = holdsCampaign(dir)
	if err == nil && held && !resume {
		err = fmt.Errorf("folder %s already holds a campaign: %s continues it, a new folder begins another", dir,
			usage.Resume)
	}
	return held, err
}

// headerToResume reads the header of a folder whose campaign continues as h.
func headerToResume(dir string, h Header) (there Header, err error) {
	if there, err = readHeader(dir); err == nil {
		err = there.checkResume(h)
	}
	if err != nil {
		err = fmt.Errorf("cannot resume %s: %w", dir, err)
	}
	return there, err
}

func openOrCreate(dir string, h Header, held bool, extra []string) (*Record, error) {
	_, before := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("campaign folder: %w", err)
	}
	r, err := lockRecord(dir)
	if err != nil {
		if errors.Is(before, fs.ErrNotExist) {
			_ = os.Remove(dir)
		}
		return nil, err
	}
	if r.extra = extra; h.Plan.Kind == ExperimentKind {
		r.extra = variantColumns
	}
	if held {
		r.header, err = headerToResume(dir, h)
	} else {
		h.Format, h.Settings = headerFormat, h.Settings.WithDefaults()
		r.header = h
		err = writeHeader(dir, h)
	}
	if err != nil {
		if !held { // remove an empty folder: lists would have to skip it
			_ = os.Remove(filepath.Join(dir, lockName))
			_ = os.Remove(dir)
		}
		unlockFolder(r.lock)
		return nil, err
	}
	return r.open()
}

// holdsCampaign reports whether a folder holds a campaign. A folder that was left before
// campaign.toml was written may be used; any other file in it is an error.
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
		case lockName, logName:
		default:
			if strings.HasPrefix(e.Name(), "."+headerName+".") { // it was about to be written
				continue
			}
			return false, fmt.Errorf(
				"folder %s is not empty (%s) and holds no campaign; give a new folder",
				dir,
				e.Name(),
			)
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

// modesColumns are the columns of modes.csv: the known ones, then the further columns of an import, which are read from
// the file when it exists.
func (r *Record) modesColumns() []string {
	known := r.knownColumns()
	names := r.columnsOf(modesName)
	if len(names) > len(known) && slices.Equal(names[:len(known)], known) {
		r.extra = slices.Clone(names[len(known):])
	}
	return slices.Concat(known, r.extra)
}

// columnsOf reads the columns of a file of the folder; nil when it has none.
func (r *Record) columnsOf(name string) []string { return csvlines.Columns(filepath.Join(r.dir, name)) }

// sized adds the column of the batch size where the campaign has several.
func (r *Record) sized(columns []string) []string {
	if r.header.Plan.Batches == nil {
		return columns
	}
	return slices.Concat(columns, []string{SizeColumn})
}

func (r *Record) open() (*Record, error) {
	r.names = columnsIn[rowLine](r.columnsOf(modesName), r.modesColumns())
	r.setCodecs()
	for _, file := range []struct {
		to      **csvlines.File
		name    string
		columns []string
	}{
		{&r.modes, modesName, r.names},
		{&r.samples, samplesName, r.sampleCodec.Columns},
		{&r.minibatches, minibatchesName, r.minibatchCodec.Columns},
		{&r.epochs, epochsName, r.epochCodec.Columns},
		{&r.runs, runsName, r.runCodec.Columns},
	} {
		a, note, err := csvlines.Open(filepath.Join(r.dir, file.name), file.columns, r.header.Device.Virtual)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("campaign folder: %w", err)
		}
		*file.to = a
		if note != "" {
			r.notes = append(r.notes, note)
		}
	}
	rows, bad, err := readRows(r.dir)
	if err != nil {
		r.Close()
		return nil, err
	}
	r.notes = append(r.notes, bad...)
	r.offSpace(withErrors(rows))
	if err := r.cutRun(rows); err != nil {
		r.Close()
		return nil, err
	}
	if st, err := os.Stat(filepath.Join(r.dir, logName)); err == nil {
		r.logged = st.Size()
	}
	return r, nil
}

// offSpace keeps the rows whose modes the device has; other rows come from another file or were edited.
func (r *Record) offSpace(rows []Row) {
	space, err := r.header.Device.Space()
	for _, row := range rows {
		if err == nil && !space.Contains(row.Mode) {
			r.notes = append(r.notes, fmt.Sprintf("%s: %s is no mode of this device: its row is left out", modesName,
				row.Mode))
			continue
		}
		r.rows = append(r.rows, row)
	}
}

// Distinct removes rows that are exact copies of others, including the time: they are one reading. It returns how many
// it removed.
func Distinct(rows []Row) (kept []Row, copies int) {
	seen := map[string]bool{}
	for _, row := range rows {
		key := fmt.Sprint(row.Batch, row.Fields(), row.Extra)
		if seen[key] {
			copies++
			continue
		}
		seen[key] = true
		kept = append(kept, row)
	}
	return kept, copies
}

// Read returns header and rows of a campaign folder without locking it; the campaign may be
// running. Lines that are no rows are left out.
func Read(dir string) (Header, []Row, error) {
	h, rows, _, err := ReadNoted(dir)
	return h, rows, err
}

// ReadNoted is Read with a note on each line of modes.csv that is not a row.
func ReadNoted(dir string) (h Header, rows []Row, notes []string, err error) {
	if h, err = readHeader(dir); err != nil {
		return h, nil, nil, err
	}
	rows, notes, err = readRows(dir)
	for i, n := range notes {
		notes[i] = filepath.Join(dir, n)
	}
	return h, withErrors(rows), notes, err
}

// Header is the content of campaign.toml.
func (r *Record) Header() Header { return r.header }

// Dir is the folder.
func (r *Record) Dir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dir
}

// Log is the file for the output of the harness that is not an event.
func (r *Record) Log() string { return filepath.Join(r.Dir(), logName) }

// Notes lists what was repaired on opening.
func (r *Record) Notes() []string { return slices.Clone(r.notes) }

// Rows lists the finished modes in the order in which they were measured.
func (r *Record) Rows() []Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.rows)
}

// Append writes a row and syncs it to disk: first the run's character, last the line of modes.csv, by which a resume
// knows that the mode is done. When the folder is missing (ErrFolder) or cannot be written, all rows are written to a
// new folder, which the error names.
func (r *Record) Append(row Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.modes == nil:
		return errClosed
	case len(r.rows) >= mostRows:
		return fmt.Errorf("campaign folder %s: %w after this one: give a new folder", r.dir, errRows)
	}
	line := r.rowCodec.print(row)
	if err := r.readable(line); err != nil {
		return fmt.Errorf("recording in %s: %w", r.dir, err)
	}
	if run, ok := r.run(row); ok {
		if err := r.writeRun(run); err != nil {
			return r.rescue(row, err)
		}
	}
	r.modes.Add(line)
	err := r.modes.Flush(true)
	if err == nil {
		err = r.present()
	}
	if err != nil {
		r.modes.Drop()
		return r.rescue(row, err)
	}
	r.rows = append(r.rows, row)
	if row.Character != nil {
		r.addEpochs(row.Setting, *row.Character)
	}
	if err := cmp.Or(r.samples.Flush(false), r.minibatches.Flush(false), r.epochs.Flush(false), r.keepLog(row),
		r.keepResult(row, line)); err != nil {
		return fmt.Errorf("recording in %s: %w", r.dir, err)
	}
	return nil
}

// Line is a line of modes.csv created elsewhere.
type Line struct {
	Known []string // by Columns
	Batch int      // in a record of several batch sizes
	Extra []string // by the further columns that the record was created with
}

// Import writes lines to modes.csv and syncs them to disk together.
func (r *Record) Import(lines iter.Seq[Line]) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.modes == nil {
		return errClosed
	}
	columns := len(r.sized(Columns))
	for l := range lines {
		known := append(l.Known, strconv.Itoa(l.Batch))
		r.modes.Add(append(known[:columns], l.Extra...))
		if err := r.modes.Spill(); err != nil {
			return err
		}
	}
	return r.modes.Flush(true)
}

// Attach adds a file to a campaign's folder, or replaces it.
func Attach(dir, name string, content []byte) error {
	path := filepath.Join(dir, name)
	if err := safefile.Replace(path, content); err != nil {
		return fmt.Errorf("writing %s: %w%s", path, safefile.Cause(err), csvlines.Remedy(err))
	}
	return nil
}

// closeFiles needs r.mu.
func (r *Record) closeFiles() error {
	var errs []error
	for _, a := range []*csvlines.File{r.modes, r.samples, r.minibatches, r.epochs, r.runs} {
		if a != nil {
			errs = append(errs, a.Close())
		}
	}
	r.modes, r.samples, r.minibatches, r.epochs, r.runs = nil, nil, nil, nil, nil
	return errors.Join(errs...)
}

// Close releases the folder.
func (r *Record) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := []error{r.closeFiles()}
	if r.lock != nil {
		errs = append(errs, unlockFolder(r.lock))
		r.lock = nil
	}
	return errors.Join(errs...)
}
