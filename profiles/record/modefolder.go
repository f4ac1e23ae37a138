package record

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles/record/csvlines"
	"jtune/tegra"
	"jtune/tegra/sweep"
)

// A campaign's folder has a folder for each mode, named by the mode's four
// values as the published raw data are:
//
//	logs/pm_<cores>_<CPU kHz>_<GPU Hz>_<memory Hz>/knobs.csv  what was set, file by file
//	                                              /result.csv its line of modes.csv
//	                                              /log.txt    what the job printed in this mode beside its steps
//
// In a campaign of several batch sizes the name ends in _bs and the size, in
// an experiment in the setting and which of its runs it was.
// A mode that is measured again has its files replaced.
const (
	logsName  = "logs"
	knobsName = "knobs.csv"
	rowName   = "result.csv"
)

// modeFolder creates the folder of a setting; variant holds an experiment's columns, otherwise empty.
func (r *Record) modeFolder(s tegra.Setting, variant []string) (string, error) {
	dir := filepath.Join(r.dir, logsName, "pm_"+strings.ReplaceAll(memberText(s.Mode), ",", "_")) +
		text.IfAny("_bs%d", s.Batch)
	for _, text := range variant {
		dir += "_" + fileName(text)
	}
	return dir, os.MkdirAll(dir, 0o755)
}

// rowFolder creates the folder of a row's setting.
func (r *Record) rowFolder(row Row) (string, error) {
	if r.header.Plan.Kind == ExperimentKind {
		return r.modeFolder(row.Setting, row.Extra)
	}
	return r.modeFolder(row.Setting, nil)
}

// fileName converts a text, such as "nvme0n1 (/data): cold", to a part of a file name: letters and digits stay, the
// rest becomes dashes.
func fileName(text string) string {
	words := strings.FieldsFunc(
		text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '_' },
	)
	name := strings.Join(words, "-")
	return strings.ToValidUTF8(name[:min(len(name), longestPart)], "")
}

// longestPart is the longest part of a file name made from a text, in bytes.
const longestPart = 100

// Knobs records the requested and the read-back value of each knob of a mode.
func (r *Record) Knobs(s tegra.Setting, v *Variant, a tegra.Applied) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.modes == nil {
		return errClosed
	}
	text := csvlines.Line([]string{"knob", "path", "asked", "actual", sweep.VirtualColumn})
	for _, f := range a.Files {
		text += csvlines.Line([]string{f.Knob, f.Path, f.Asked, f.Actual, strconv.FormatBool(r.header.Device.Virtual)})
	}
	var variant []string
	if v != nil {
		variant = v.Columns()
	}
	dir, err := r.modeFolder(s, variant)
	if err == nil {
		err = writeOwned(filepath.Join(dir, knobsName), strings.NewReader(text))
	}
	if err != nil {
		return fmt.Errorf("recording in %s: %w%s", r.dir, safefile.Cause(err), csvlines.Remedy(err))
	}
	return nil
}

// LogOf makes the file that a job writes itself, which was started elsewhere, the log whose parts the folders of modes
// get. Anything but a file is left alone: what is read from a pipe is gone.
func (r *Record) LogOf(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		r.jobLog, r.logged = path, st.Size()
	}
}

// keepLog copies the job's output since the last row to the folder of this row. It needs r.mu.
func (r *Record) keepLog(row Row) error {
	f, err := os.Open(cmp.Or(r.jobLog, filepath.Join(r.dir, logName)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the virtual board's job says nothing
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	dir, err := r.rowFolder(row)
	if err != nil {
		return err
	}
	added := io.NewSectionReader(f, r.logged, max(0, st.Size()-r.logged))
	what := "else the job printed"
	if r.jobLog != "" {
		what = "the job wrote to its own log"
	}
	head := strings.NewReader("jtune: this mode's steps are in minibatches.csv; what " + what + ":\n")
	if err := writeOwned(filepath.Join(dir, logName), io.MultiReader(head, added)); err != nil {
		return fmt.Errorf("%w%s", err, csvlines.Remedy(err))
	}
	r.logged = st.Size()
	return nil
}

// keepResult writes a finished row, whose line of modes.csv is given, to the folder of its mode. It needs r.mu.
func (r *Record) keepResult(row Row, line []string) error {
	dir, err := r.rowFolder(row)
	if err != nil {
		return err
	}
	text := csvlines.Line(append(slices.Clone(r.names), sweep.VirtualColumn)) +
		csvlines.Line(append(slices.Clone(line), strconv.FormatBool(r.header.Device.Virtual)))
	if err := writeOwned(filepath.Join(dir, rowName), strings.NewReader(text)); err != nil {
		return fmt.Errorf("%w%s", err, csvlines.Remedy(err))
	}
	return nil
}

// writeOwned replaces a file and gives it to the calling user.
func writeOwned(path string, from io.Reader) error {
	f, err := safefile.Open(path, os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
