package models

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"jtune/internal/sorted"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/workloads"
)

// modelSuffix is the file suffix of models in the data directory.
const modelSuffix = ".model"

// List lists the models of the data directory, newest first, after they have learned the measurements of killed
// programs. An unreadable model is listed with its error.
func List(o session.Options) ([]Info, error) {
	refreshModels(o, "")
	return readModels(o.ModelsDir(), learn.Load)
}

// Kept lists the models of the data directory, newest first, and updates none: FindUnfitted lists what they have not
// learned. load is learn.Load, or learn.LoadUnfitted for models that need not predict.
func Kept(o config.Paths, load func(path string) (*learn.Model, error)) ([]Info, error) {
	return readModels(o.ModelsDir(), load)
}

// readModels lists the models of a folder, newest first.
func readModels(dir string, load func(path string) (*learn.Model, error)) ([]Info, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+modelSuffix))
	if err != nil {
		return nil, fmt.Errorf("models in %s: %w", dir, err)
	}
	var out []Info
	for _, path := range paths {
		info := Info{Name: strings.TrimSuffix(filepath.Base(path), modelSuffix), Path: path}
		if st, err := os.Stat(path); err == nil {
			info.Modified = st.ModTime()
		}
		if info.Model, info.Err = load(path); info.Err == nil && info.Model.Fitted() {
			info.Model = ofOneSize(info.Model)
		}
		out = append(out, info)
	}
	sorted.By(out, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
	return out, nil
}

// ofOneSize reduces a model with the batch size as an input to its largest size, as the screens show it.
func ofOneSize(m *learn.Model) *learn.Model {
	if len(m.Batches) == 1 {
		return m
	}
	one := m.AtLargest()
	one.Warnings = append(slices.Clone(m.Warnings), fmt.Sprintf("shown for batch size %d of %s", one.Batch,
		text.JoinInts(m.Batches)))
	return one
}

// Foreign returns the reason why a model does not fit the modes of a board, or "".
func Foreign(m *learn.Model, space *tegra.Space) string {
	switch {
	case m.Space != nil && m.Space.Max() != space.Max():
		return "the model is of another board (" + m.Provenance.Device + ")"
	case !m.HasPower():
		return "the model has times only; Pareto fronts and limits need power"
	}
	return ""
}

// Save saves a model in the data directory under a name and returns its path.
func Save(s *session.Session, name string, m *learn.Model) (string, error) {
	path, err := keepAs(s.Options.Paths, name)
	if err != nil {
		return "", err
	}
	return path, config.Denied(m.Save(path), campaigns.Elsewhere)
}

// keepAs creates the data directory and returns the path for a name in it.
func keepAs(o config.Paths, name string) (string, error) {
	if err := campaigns.NewName("model", name); err != nil {
		return "", err
	}
	dir := o.ModelsDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", config.Denied(err, campaigns.Elsewhere)
	}
	return filepath.Join(dir, name+modelSuffix), nil
}

// Keep copies a readable model file into the data directory. It returns its name there: the file's own,
// without its suffix.
func Keep(o config.Paths, path string) (string, error) {
	base := filepath.Base(path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	m, err := learn.Load(path)
	if err != nil {
		return "", err
	}
	m.Provenance.Pool = "" // a copy: searches do not update it
	kept, err := keepAs(o, name)
	if err != nil {
		return "", err
	}
	if there, _, err := learn.LoadSource(kept); err == nil && there.Pool != "" {
		return "", usage.Errorf("model %s is there already and learns from the campaigns: rename it, or the file", name)
	}
	return name, config.Denied(m.Save(kept), campaigns.Elsewhere)
}

// Load reads a model by its path, or by its name in the data directory; a model of that name is updated first, as in
// List.
func Load(o session.Options, nameOrPath string) (*learn.Model, error) {
	m, _, _, err := Find(o, nameOrPath)
	return m, err
}

// Find is Load and also returns the file: a workload's name means the present board's model. No device is opened for
// any other name. For a name it also returns the campaigns, which it had to list.
func Find(o session.Options, nameOrPath string) (m *learn.Model, path string, list []campaigns.Campaign, err error) {
	if !isPath(nameOrPath) {
		list = refreshModels(o, nameOrPath)
	}
	path = Path(o.Paths, nameOrPath)
	m, err = learn.Load(path)
	if isPath(nameOrPath) || !errors.Is(err, fs.ErrNotExist) {
		return m, path, list, err
	}
	if path, err = presentModel(o, nameOrPath, list); err != nil {
		return nil, "", list, err
	}
	if path == "" && nameOrPath == learn.ShippedName {
		return nil, "", list, fmt.Errorf("%s is a reference, not a model: searches and jtune models fit transfer from "+
			"it, and the model that they make predicts", nameOrPath)
	}
	if path == "" && slices.Contains(namesFor(o), nameOrPath) {
		return nil, "", list, fmt.Errorf("no model of %s for this board, only for others: tune it here first, or name "+
			"one of those; jtune models lists them", nameOrPath)
	}
	if path == "" {
		return nil, "", list, fmt.Errorf("no model %s: no file, no model in %s and no workload measured on this board "+
			"has that name%s; jtune models lists the models", nameOrPath, o.ModelsDir(),
			text.Suggest(nameOrPath, namesFor(o)))
	}
	m, err = learn.Load(path)
	return m, path, list, err
}

// namesFor returns all names under which models can be found: their own and those of their workloads.
func namesFor(o session.Options) (names []string) {
	list, _ := Kept(o.Paths, learn.LoadUnfitted)
	for _, m := range list {
		names = append(names, m.Name)
		if w := m.Workload(); w != "" {
			names = append(names, w)
		}
	}
	return names
}

// presentModel returns the file of the present board's model of a workload, of the requested batch sizes if it has one;
// "" for none. Which board that is, only the device says.
func presentModel(o session.Options, name string, list []campaigns.Campaign) (string, error) {
	s, err := session.Open(o)
	if err != nil {
		return "", err
	}
	defer s.Close()
	w, err := workloads.FindAny(s, name)
	if err != nil { // a typed command that was not saved is in no list
		path := Path(o.Paths, NameFor(workload.Workload{Name: name}, s.DeviceHeader()))
		if isPath(path) {
			return path, nil
		}
		return "", nil
	}
	own, all := NamePool(list, w, s.Board(), nil), NamePool(list, w, s.Board(), []int{0})
	pools := []Pool{own, all}
	switch {
	case len(o.Batches) == 1:
		pools = []Pool{NamePool(list, w.AtBatch(o.Batches[0]), s.Board(), nil), all, own}
	case o.AllSizes || len(o.Batches) > 1:
		pools = []Pool{all, own}
	}
	for _, pool := range pools {
		if path := ModelOf(o.Paths, pool); path != "" {
			return path, nil
		}
	}
	return "", nil
}

// isPath reports whether a name refers to a file, even if something is kept under that name.
func isPath(nameOrPath string) bool {
	_, err := os.Stat(nameOrPath)
	return err == nil || strings.ContainsRune(nameOrPath, filepath.Separator)
}

// Path returns the file of a model: the path itself if it exists, or else that of the kept model of this name.
func Path(o config.Paths, nameOrPath string) string {
	if isPath(nameOrPath) {
		return nameOrPath
	}
	kept := filepath.Join(o.ModelsDir(), nameOrPath+modelSuffix)
	if _, err := os.Stat(kept); err == nil {
		return kept
	}
	return nameOrPath
}

// Renewal returns the newer model in a list that replaces the outlook's model: from the same pool, fitted later; false
// if there is none.
func Renewal(o *outlook.Outlook, list []Info) (*learn.Model, bool) {
	from := o.Model.Provenance
	for _, info := range list {
		if m := info.Model; m != nil && from.Pool != "" && m.Provenance.Pool == from.Pool &&
			m.Provenance.When.After(from.When) {
			return m.Whole(), true
		}
	}
	return nil, false
}

// Info is one line of the model list.
type Info struct {
	Name, Path string
	Model      *learn.Model // nil when Err
	Modified   time.Time
	Err        error         // the file could not be read as a model
	Shipped    nn.Provenance // of a reference inside this program; else zero
}

// Modes returns how many modes the model was fitted to.
func (i Info) Modes() int {
	if i.Model == nil {
		return 0
	}
	return i.Model.Modes() + i.Shipped.Modes
}

// Samples returns to how many settings of mode and batch size the model was fitted.
func (i Info) Samples() int {
	if i.Model == nil || i.Shipped.Modes > 0 {
		return i.Shipped.Modes
	}
	return len(i.Model.Whole().Samples)
}

// Made returns when the model was fitted, or else its file was written; "" if unknown.
func (i Info) Made() text.Optional {
	when := i.Modified
	if i.Model != nil && !i.Model.Provenance.When.IsZero() {
		when = i.Model.Provenance.When
	}
	if when.IsZero() || i.Err != nil {
		return ""
	}
	return text.Optional(when.UTC().Format(time.RFC3339))
}

// Shipped returns the reference inside this program, with its networks' errors on their own workload.
func Shipped() Info {
	_, from := nn.ResNetReference()
	return Info{Name: learn.ShippedName, Shipped: from, Model: &learn.Model{
		Method:     "reference",
		Provenance: learn.ShippedReference().Provenance,
		CV: learn.Errors{TimeMAPEPct: from.TimeMAPEPct, PowerMAPEPct: from.PowerMAPEPct,
			How: "on the modes that they were fitted to"}}}
}

// Workload returns the workload of the model.
func (i *Info) Workload() string {
	if i.Model != nil && i.Model.Provenance.Workload != "" {
		return i.Model.Provenance.Workload
	}
	return i.Name
}

// NameFor returns the name under which the model of a workload is kept, which includes the board's.
func NameFor(w workload.Workload, d record.DeviceHeader) string {
	board := boardName(d.Name)
	switch {
	case d.Replay != "":
		board = "replay"
		if _, hash, ok := strings.Cut(d.Which, ":"); ok {
			board += "-" + hash[:min(len(hash), shownHash)]
		}
	case d.Virtual:
		board = "virtual-" + board
	}
	return w.Name + "@" + board
}

// shownHash is how many characters of a replayed file's hash are in the names of its models.
const shownHash = 6

// olderName returns the name that versions without the board in the name used.
func olderName(w workload.Workload, d record.DeviceHeader) string {
	switch {
	case d.Replay != "":
		return w.Name + "-replay"
	case d.Virtual:
		return w.Name + "-virtual"
	}
	return w.Name
}

// boardName formats a board for the name of a model: lower-case letters, digits and dashes.
func boardName(board string) string {
	words := strings.FieldsFunc(strings.ToLower(board), func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return cmp.Or(strings.Join(words, "-"), "board")
}
