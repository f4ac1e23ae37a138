package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/tegra"
)

// A model file is one line of text and a JSON document:
//
//	jtune-model VERSION SHA-256-of-the-document
//	{"method": …, "space": …, "samples": …, …}
//
// Networks are stored as trained, of a gp fit what it chose (keptFit). Loading refits other models from their samples,
// which is quick and gives the same model.
const (
	fileMagic   = "jtune-model"
	fileVersion = 1
	// batchVersion marks model files with batch sizes, so that programs which do not know them reject them.
	batchVersion = 2
	// priorVersion marks model files of earlier versions that hold a board's profile, which is no longer used.
	priorVersion = 3
	// mostFileBytes limits the file size; a model with 4,368 samples and two networks has 1 MB.
	mostFileBytes = 64 << 20
)

// Errors of Load, wrapped with the file's name and a remedy.
var (
	ErrNotModel     = errors.New("not a jtune model file")
	ErrModelVersion = errors.New("model file of another version")
	ErrModelDamaged = errors.New("model file is damaged")
)

// Save writes the model to a file. It replaces an existing file only after the new one is safely on disk.
func (m *Model) Save(path string) error {
	data, err := m.encode()
	if err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	if err := safefile.Replace(path, data); err != nil {
		return fmt.Errorf("model %s not saved: %w", path, safefile.Cause(err))
	}
	return nil
}

// Load reads a model file. It returns ErrModelVersion for another version, ErrModelDamaged for a truncated or changed
// file, and ErrNotModel for anything else.
func Load(path string) (*Model, error) { return read(path, decode) }

// LoadUnfitted reads the description of a model from its file, for lists. It checks the file and fits nothing, so the
// model predicts nothing.
func LoadUnfitted(path string) (*Model, error) {
	return read(path, func(data []byte) (*Model, error) { return decodeAs(data, (*document).unfitted) })
}

// LoadSource returns the provenance and samples of a model file without fitting the model.
func LoadSource(path string) (Provenance, []tegra.Measured, error) {
	d, err := read(path, func(data []byte) (d document, err error) {
		d, _, err = parse(data)
		return d, err
	})
	samples := measured(d.Samples)
	for i := range d.Batches[:min(len(d.Batches), len(samples))] {
		samples[i].Batch = d.Batches[i]
	}
	return d.Provenance, samples, err
}

// read reads a file of limited size.
func read[T any](path string, decode func(data []byte) (T, error)) (out T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return out, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostFileBytes+1))
	if err != nil {
		return out, fmt.Errorf("model %s: %w", path, err)
	}
	if out, err = decode(data); err != nil {
		return out, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

func (m *Model) encode() ([]byte, error) {
	m = m.Whole()
	d, err := m.document()
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return frame(fileMagic, d.version(), append(body, '\n')), nil
}

// version returns the version of the file.
func (d *document) version() int {
	if d.Batches != nil {
		return batchVersion
	}
	return fileVersion
}

// frame adds a header line with magic, version and checksum to a file's body.
func frame(magic string, version int, body []byte) []byte {
	return append(fmt.Appendf(nil, "%s %d %s\n", magic, version, checksum(body)), body...)
}

// Errors of unframe.
var (
	errOtherMagic   = errors.New("something else")
	errOtherVersion = errors.New("another version")
	errChecksum     = errors.New("cut off or changed")
)

// unframe checks and removes the header line of a file. found is the version in the line, also with errOtherVersion.
func unframe(magic string, data []byte, versions ...int) (body []byte, found string, err error) {
	head, body, complete := bytes.Cut(data, []byte("\n"))
	fields := strings.Fields(string(head[:min(len(head), 200)]))
	switch {
	case len(fields) == 0 || fields[0] != magic:
		return nil, "", errOtherMagic
	case len(fields) != 3 || !complete:
		return nil, "", errChecksum
	case !slices.ContainsFunc(versions, func(v int) bool { return fields[1] == strconv.Itoa(v) }):
		return nil, text.Clip(fields[1]), errOtherVersion
	case fields[2] != checksum(body):
		return nil, "", errChecksum
	}
	return body, fields[1], nil
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func decode(data []byte) (*Model, error) { return decodeAs(data, (*document).model) }

func decodeAs(data []byte, model func(*document) (*Model, error)) (*Model, error) {
	d, found, err := parse(data)
	if err != nil {
		return nil, err
	}
	m, err := model(&d)
	if err == nil && (d.version() == batchVersion) != (found == strconv.Itoa(batchVersion)) {
		err = fmt.Errorf("its version %s does not go with %d batch sizes", found, len(m.Batches))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModelDamaged, err)
	}
	return m, nil
}

// parse decodes a model file; found is its version.
func parse(data []byte) (d document, found string, err error) {
	if len(data) > mostFileBytes {
		return d, "", fmt.Errorf("%w: larger than %d MB", ErrNotModel, mostFileBytes>>20)
	}
	body, found, err := unframe(fileMagic, data, fileVersion, batchVersion, priorVersion)
	switch {
	case errors.Is(err, errOtherMagic):
		return d, found, fmt.Errorf("%w; make one with jtune models fit", ErrNotModel)
	case errors.Is(err, errOtherVersion):
		return d, found, fmt.Errorf("%w: it has version %s, this jtune reads versions %d to %d; fit again",
			ErrModelVersion, found, fileVersion, priorVersion)
	case err != nil:
		return d, found, fmt.Errorf("%w, cut off or changed: fit again", ErrModelDamaged)
	}
	if err := json.Unmarshal(body, &d); err != nil {
		return d, found, fmt.Errorf("%w: %w", ErrModelDamaged, err)
	}
	return d, found, nil
}
