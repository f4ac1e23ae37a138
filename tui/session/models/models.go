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
	"jtune/optimize/outlook"
	"jtune/profiles/record"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/campaigns"
	"jtune/tui/session/config"
	"jtune/tui/session/workloads"
)

// modelSuffix ends the names of model files in the data directory.
const modelSuffix = ".model"

// referenceSuffix ends those of references without measured modes.
const referenceSuffix = ".reference"

// List lists the models of the data directory, newest first, when they have learned what
// a program that was killed had measured. A file that is no model is listed with its error.
func List(o session.Options) ([]Info, error) {
	refreshModels(o)
	return readModels(o.ModelsDir())
}

// readModels lists the models of a folder, newest first.
func readModels(dir string) ([]Info, error) {
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
		if info.Model, info.Err = learn.Load(path); info.Err == nil {
			info.Model = ofOneSize(info.Model)
		}
		out = append(out, info)
	}
	sorted.By(out, func(a, b Info) int { return b.Modified.Compare(a.Modified) })
	return out, nil
}

// ofOneSize is a model with the batch size as an input as the screens show
// it: for the largest size.
func ofOneSize(m *learn.Model) *learn.Model {
	if m.Batches == nil {
		return m
	}
	one := m.At(slices.Max(m.Batches))
	one.Warnings = append(slices.Clone(m.Warnings), fmt.Sprintf("shown for batch size %d of %s", one.Batch,
		text.JoinInts(m.Batches)))
	return one
}

// Foreign is the reason why a model does not fit the modes of a board, or "".
func Foreign(m *learn.Model, space *tegra.Space) string {
	switch {
	case m.Space != nil && m.Space.Max() != space.Max():
		return "the model is of another board (" + m.Provenance.Device + ")"
	case !m.HasPower():
		return "the model has times only; Pareto fronts and limits need power"
	}
	return ""
}

// Save keeps a model in the data directory under a name and returns its path.
func Save(s *session.Session, name string, m *learn.Model) (string, error) {
	path, err := keepAs(s.Options.Paths, name, modelSuffix)
	if err != nil {
		return "", err
	}
	return path, config.Denied(m.Save(path), campaigns.Elsewhere)
}

// keepAs makes the data directory and returns the path of a name in it.
func keepAs(o config.Paths, name, suffix string) (string, error) {
	if err := campaigns.NewName("model", name); err != nil {
		return "", err
	}
	dir := o.ModelsDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", config.Denied(err, campaigns.Elsewhere)
	}
	return filepath.Join(dir, name+suffix), nil
}

// Keep copies a model or reference file that can be read into the data
// directory and returns the name by which it is found there: the file's own,
// without its ending.
func Keep(o config.Paths, path string) (string, error) {
	base := filepath.Base(path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	m, err := learn.Load(path)
	if err == nil {
		m.Provenance.Pool = "" // a copy: searches leave it alone
		kept, err := keepAs(o, name, modelSuffix)
		if err != nil {
			return "", err
		}
		if there, _, err := learn.LoadSource(kept); err == nil && there.Pool != "" {
			return "", usage.Errorf("model %s is there already and learns from the campaigns: rename it, or the file",
				name)
		}
		return name, config.Denied(m.Save(kept), campaigns.Elsewhere)
	}
	r, refErr := learn.LoadReference(path)
	if refErr != nil || r.Compact == nil {
		return "", err
	}
	kept, err := keepAs(o, name, referenceSuffix)
	if err != nil {
		return "", err
	}
	return name, config.Denied(r.Compact.Save(kept), campaigns.Elsewhere)
}

// Load reads a model by its path, or by its name in the data directory, brought up to
// date as by Models.
func Load(o session.Options, nameOrPath string) (*learn.Model, error) {
	m, _, err := Find(o, nameOrPath)
	return m, err
}

// Find is Load, and says which file it is: a workload's name means the present board's model.
func Find(o session.Options, nameOrPath string) (m *learn.Model, path string, err error) {
	if !isPath(nameOrPath) {
		refreshModels(o)
	}
	path = Path(o.Paths, nameOrPath)
	m, err = learn.Load(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, path, err
	}
	if path = presentModel(o, nameOrPath); path == "" {
		return nil, "", fmt.Errorf("no model %s: no file, no model in %s and no workload measured on this board has "+
			"that name%s; jtune models lists the models", nameOrPath, o.ModelsDir(),
			text.Suggest(nameOrPath, namesFor(o)))
	}
	m, err = learn.Load(path)
	return m, path, err
}

// namesFor returns the names by which models are found: their own and those of their workloads.
func namesFor(o session.Options) (names []string) {
	list, _ := readModels(o.ModelsDir())
	for _, m := range list {
		names = append(names, m.Name)
		if w := m.Workload(); w != "" {
			names = append(names, w)
		}
	}
	return names
}

// presentModel is the file of the present board's model of a workload; "" for none.
func presentModel(o session.Options, name string) string {
	s, err := session.Open(o)
	if err != nil {
		return ""
	}
	defer s.Close()
	w, err := workloads.FindAny(s, name)
	if err != nil { // a command that was typed and not saved is in no list
		path := Path(o.Paths, NameFor(workload.Workload{Name: name}, s.DeviceHeader()))
		if isPath(path) {
			return path
		}
		return ""
	}
	list, err := campaigns.List(o.Paths)
	if err != nil {
		return ""
	}
	for _, batches := range [][]int{nil, {0}} { // of its own size, else of all sizes
		pool := CollectPool(list, w, s.Board(), batches)
		if path := ModelOf(o.Paths, pool); path != "" {
			return path
		}
	}
	return ""
}

// isPath reports whether a name means a file, whatever is kept by it.
func isPath(nameOrPath string) bool {
	_, err := os.Stat(nameOrPath)
	return err == nil || strings.ContainsRune(nameOrPath, filepath.Separator)
}

// Path is the file of a model: the path itself, or that of a kept model or
// reference by its name, where no file of that name is here.
func Path(o config.Paths, nameOrPath string) string {
	if isPath(nameOrPath) {
		return nameOrPath
	}
	for _, suffix := range []string{modelSuffix, referenceSuffix} {
		kept := filepath.Join(o.ModelsDir(), nameOrPath+suffix)
		if _, err := os.Stat(kept); err == nil {
			return kept
		}
	}
	return nameOrPath
}

// KeptReferences lists the paths of the references without measured modes in
// the data directory.
func KeptReferences(o config.Paths) ([]string, error) {
	return filepath.Glob(filepath.Join(o.ModelsDir(), "*"+referenceSuffix))
}

// Reduce writes a model into a file as a reference for other workloads of its board,
// without its measured modes. The file tells which command made it.
func Reduce(o session.Options, name, out, command string) (*learn.Compact, error) {
	m, err := Load(o, name)
	if err != nil {
		return nil, err
	}
	if !m.HasPower() {
		return nil, fmt.Errorf("model %s has times only; a reference needs power too", name)
	}
	from := m.Provenance
	if from.Device == "" {
		return nil, fmt.Errorf("model %s names no board, and a reference is of use on its own board only: "+
			"fit it again with %s", name, usage.Device)
	}
	base := filepath.Base(out)
	c, err := learn.NewCompact(learn.ReferenceNote{
		Name:     strings.TrimSuffix(base, filepath.Ext(base)),
		Version:  1,
		Workload: from.Workload,
		Device:   from.Device,
		Virtual:  from.Virtual && from.Replay == "",
		Source:   "measured by the maker of this file",
		Licence:  "the maker's",
		Command:  command,
	}, m.Samples)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return c, c.Save(out)
}

// Share writes what a profile of a board needs of a model's workload into a file, under a name, and returns it. The
// file has no measured value, and no other name than that and the board's.
func Share(o session.Options, model, name string) (path string, p *learn.Profile, err error) {
	m, err := Load(o, model)
	switch {
	case err != nil:
		return "", nil, err
	case !m.HasPower() || m.Batches != nil || m.Provenance.Device == "":
		return "", nil, fmt.Errorf("model %s: a share needs time and power of one batch size on a board that it names",
			model)
	}
	if err := campaigns.NewName("share", name); err != nil {
		return "", nil, err
	}
	note := learn.ReferenceNote{Version: 1, Device: m.Provenance.Device, Source: "measured by the maker of this file",
		Licence: "the maker's", Virtual: m.Provenance.Virtual && m.Provenance.Replay == ""}
	if p, err = learn.NewShare(name, note, m.Space, m.Samples); err != nil {
		return "", nil, fmt.Errorf("model %s: %w", model, err)
	}
	path = name + boardSuffix
	return path, p, config.Denied(p.Save(path), campaigns.Elsewhere)
}

// ownProfile names the profile that was made from shared files of a board.
func ownProfile(device string) string {
	return strings.ReplaceAll(strings.ToLower(device), " ", "-") + "-shared"
}

// boardSuffix ends the names of shared profiles.
const boardSuffix = ".board"

// LearnBoard makes a profile of a board from shared files and keeps it in the data directory, as the board's own where
// none is shipped for it.
func LearnBoard(o config.Paths, files []string) (*learn.Compact, error) {
	var list []*learn.Profile
	for _, file := range files {
		p, err := learn.LoadProfile(file)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	name := ownProfile(list[0].Device)
	all, err := learn.MergeProfiles(name, list)
	if err != nil {
		return nil, err
	}
	path, err := keepAs(o, name, referenceSuffix)
	if err != nil {
		return nil, err
	}
	c := all.Learned()
	return c, config.Denied(c.Save(path), campaigns.Elsewhere)
}

// Renewal is the kept model that takes the place of the outlook's in a list: that of the same
// pool, fitted later. False where there is none.
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
	Err        error // the file could not be read as a model
}

// Workload is the one that the model is of.
func (i *Info) Workload() string {
	if i.Model != nil && i.Model.Provenance.Workload != "" {
		return i.Model.Provenance.Workload
	}
	return i.Name
}

// NameFor is the name under which the model of a tuned workload is kept: with its board's.
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

// shownHash is how much of a replayed file's hash is in the names of its models.
const shownHash = 6

// olderName is the name that versions without the board's name in it gave.
func olderName(w workload.Workload, d record.DeviceHeader) string {
	switch {
	case d.Replay != "":
		return w.Name + "-replay"
	case d.Virtual:
		return w.Name + "-virtual"
	}
	return w.Name
}

// boardName is a board in the name of a model: small letters, digits and dashes.
func boardName(board string) string {
	words := strings.FieldsFunc(strings.ToLower(board), func(r rune) bool {
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return cmp.Or(strings.Join(words, "-"), "board")
}
