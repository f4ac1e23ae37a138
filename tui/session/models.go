package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"jtune/learn"
)

// modelSuffix ends the names of model files in the data directory.
const modelSuffix = ".model"

// Models lists the models of the data directory, newest first. A file that is
// no model is listed with its error.
func (s *Session) Models() ([]ModelInfo, error) {
	dir := s.Options.modelsDir()
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
	one.Warnings = append(slices.Clone(m.Warnings), fmt.Sprintf("shown for minibatches of %d; jtune predict, front and choose know %s", one.Batch, join(m.Batches)))
	return one
}

// SaveModel keeps a model in the data directory under a name and gives its path.
func (s *Session) SaveModel(name string, m *learn.Model) (string, error) {
	if name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("%w: model name %q: give a plain name without slashes", ErrUsage, name)
	}
	dir := s.Options.modelsDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", denied(err, "choose another place with --data-dir DIR")
	}
	path := filepath.Join(dir, name+modelSuffix)
	return path, denied(m.Save(path), "choose another place with --data-dir DIR")
}

// LoadModel reads a model by its name in the data directory, or by its path.
func (s *Session) LoadModel(nameOrPath string) (*learn.Model, error) {
	return s.Options.LoadModel(nameOrPath)
}

// LoadModel is Session.LoadModel without a device.
func (o Options) LoadModel(nameOrPath string) (*learn.Model, error) {
	if !strings.ContainsRune(nameOrPath, filepath.Separator) {
		kept := filepath.Join(o.modelsDir(), nameOrPath+modelSuffix)
		if _, err := os.Stat(nameOrPath); err != nil {
			if _, err := os.Stat(kept); err == nil {
				nameOrPath = kept
			}
		}
	}
	return learn.Load(nameOrPath)
}
