package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jtune/learn"
	"jtune/profiles"
)

// modelSuffix ends the names of model files in the data directory.
const modelSuffix = ".model"

// referenceSuffix ends those of references without measured modes.
const referenceSuffix = ".reference"

// ModelsDir is where models are kept.
func (o Options) ModelsDir() string { return o.modelsDir() }

// Models lists the models of the data directory.
func (s *Session) Models() ([]ModelInfo, error) { return s.Options.Models() }

// Models lists the models of the data directory, newest first. A file that is
// no model is listed with its error.
func (o Options) Models() ([]ModelInfo, error) {
	dir := o.modelsDir()
	paths, err := filepath.Glob(filepath.Join(dir, "*"+modelSuffix))
	if err != nil {
		return nil, fmt.Errorf("models in %s: %w", dir, err)
	}
	var out []ModelInfo
	for _, path := range paths {
		info := ModelInfo{Name: strings.TrimSuffix(filepath.Base(path), modelSuffix), Path: path}
		if st, err := os.Stat(path); err == nil {
			info.Modified = st.ModTime()
		}
		if info.Model, info.Err = learn.Load(path); info.Err == nil {
			info.Model = ofOneSize(info.Model)
		}
		out = append(out, info)
	}
	slices.SortFunc(out, func(a, b ModelInfo) int { return b.Modified.Compare(a.Modified) })
	return out, nil
}

// ofOneSize is a model with the minibatch size as an input as the screens show
// it: for the largest size.
func ofOneSize(m *learn.Model) *learn.Model {
	if m.Batches == nil {
		return m
	}
	one := m.At(slices.Max(m.Batches))
	one.Warnings = append(slices.Clone(m.Warnings), fmt.Sprintf("told here for minibatches of %d; s on the Front page steps through the sizes %s", one.Batch, join(m.Batches)))
	return one
}

// SaveModel keeps a model in the data directory under a name and gives its path.
func (s *Session) SaveModel(name string, m *learn.Model) (string, error) {
	path, err := s.Options.keepAs(name, modelSuffix)
	if err != nil {
		return "", err
	}
	return path, saveOwned(m, path)
}

// saveOwned writes a model or reference; what root writes for a user, through
// sudo, is that user's.
func saveOwned(m interface{ Save(path string) error }, path string) error {
	if err := m.Save(path); err != nil {
		return denied(err, elsewhere)
	}
	return profiles.Own(path)
}

const elsewhere = "choose another place with --data-dir DIR"

// keepAs makes the data directory and gives the place of a name in it.
func (o Options) keepAs(name, suffix string) (string, error) {
	if name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%w: model name %q: give a plain name without slashes", ErrUsage, name)
	}
	dir := o.modelsDir()
	if err := profiles.MakeDir(dir); err != nil {
		return "", denied(err, elsewhere)
	}
	return filepath.Join(dir, name+suffix), nil
}

// Keep copies a model or reference file that can be read into the data
// directory and gives the name by which it is found there: the file's own,
// without its ending.
func (o Options) Keep(path string) (string, error) {
	base := filepath.Base(path)
	name := strings.TrimSuffix(base, filepath.Ext(base))
	m, err := learn.Load(path)
	if err == nil {
		kept, err := o.keepAs(name, modelSuffix)
		if err != nil {
			return "", err
		}
		return name, saveOwned(m, kept)
	}
	r, refErr := learn.LoadReference(path)
	if refErr != nil || r.Compact == nil {
		return "", err
	}
	kept, err := o.keepAs(name, referenceSuffix)
	if err != nil {
		return "", err
	}
	return name, saveOwned(r.Compact, kept)
}

// LoadModel reads a model by its name in the data directory, or by its path.
func (s *Session) LoadModel(nameOrPath string) (*learn.Model, error) {
	return s.Options.LoadModel(nameOrPath)
}

// LoadModel is Session.LoadModel without a device.
func (o Options) LoadModel(nameOrPath string) (*learn.Model, error) {
	m, err := learn.Load(o.ModelPath(nameOrPath))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no model %s: there is no such file, and none is kept by that name in %s", nameOrPath, o.modelsDir())
	}
	return m, err
}

// ModelPath is the file of a model: the path itself, or that of a kept model or
// reference by its name, where no file of that name is here.
func (o Options) ModelPath(nameOrPath string) string {
	if _, err := os.Stat(nameOrPath); err == nil || strings.ContainsRune(nameOrPath, filepath.Separator) {
		return nameOrPath
	}
	for _, suffix := range []string{modelSuffix, referenceSuffix} {
		kept := filepath.Join(o.modelsDir(), nameOrPath+suffix)
		if _, err := os.Stat(kept); err == nil {
			return kept
		}
	}
	return nameOrPath
}

// KeptReferences lists the paths of the references without measured modes in
// the data directory.
func (o Options) KeptReferences() ([]string, error) {
	return filepath.Glob(filepath.Join(o.modelsDir(), "*"+referenceSuffix))
}
