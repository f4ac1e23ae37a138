package tegra

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"jtune/internal/text"
)

// source is a file that is read repeatedly: opened once, one ReadAt per value. If its device went away (a CPU policy
// taken offline), it is reopened, once per read.
type source struct {
	fs   FS
	path string
	f    File
	buf  []byte // buffer of a table; single values use valueBufs
}

// valueBufs are shared by all sources: with one page each, every read would touch cold memory.
var valueBufs = sync.Pool{New: func() any { return new([valueSize]byte) }}

const (
	valueSize = 4096    // a sysfs value: at most one page
	tableSize = 1 << 16 // a /proc table
)

func newSource(fsys FS, path string) *source { return &source{fs: fsys, path: path} }

func newTable(fsys FS, path string) *source {
	return &source{fs: fsys, path: path, buf: make([]byte, tableSize)}
}

// bytes returns a table's content, valid until the next call.
func (s *source) bytes() ([]byte, error) { return s.into(s.buf) }

// into reads the content into buf.
func (s *source) into(buf []byte) ([]byte, error) {
	fresh := s.f == nil
	data, err := s.once(buf)
	if !fresh && gone(err) {
		data, err = s.once(buf)
	}
	return data, err
}

func (s *source) once(buf []byte) ([]byte, error) {
	if s.f == nil {
		f, err := s.fs.Open(s.path)
		if err != nil {
			return nil, err
		}
		s.f = f
	}
	n, err := s.f.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		if gone(err) {
			s.close()
		}
		return nil, err
	}
	return buf[:n], nil
}

// gone reports whether an error means that the file behind a handle was removed or replaced.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrClosed) ||
		errors.Is(err, syscall.ESTALE)
}

func (s *source) int() (int64, error) {
	buf := valueBufs.Get().(*[valueSize]byte)
	defer valueBufs.Put(buf)
	data, err := s.into(buf[:])
	if err != nil {
		return 0, err
	}
	data = bytes.TrimSpace(data)
	if v, err := strconv.ParseInt(string(data), 10, 64); err == nil { // does not allocate
		return v, nil
	}
	return parseInt(s.path, string(data))
}

// word reads a single word.
func (s *source) word() (string, error) {
	buf := valueBufs.Get().(*[valueSize]byte)
	defer valueBufs.Put(buf)
	data, err := s.into(buf[:])
	return string(bytes.TrimSpace(data)), err
}

// within reads an integer from 0 to most; its error says what another value means. Some drivers print -1 as unsigned.
func (s *source) within(most int64, what string) (int64, error) {
	v, err := s.int()
	if err == nil && (v < 0 || v > most || v == math.MaxUint32) {
		err = fmt.Errorf("%s: %d%s", s.path, v, what)
	}
	return v, err
}

// flag reads a switch that must be 0 or 1.
func (s *source) flag() (bool, error) {
	v, err := s.within(1, " is neither 0 nor 1")
	return v == 1, err
}

func (s *source) close() {
	if s != nil && s.f != nil {
		_ = s.f.Close()
		s.f = nil
	}
}

func parseInt(path, raw string) (int64, error) {
	v, err := strconv.ParseInt(raw, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a number", path, text.Clip(raw))
	}
	return v, nil
}

// readText reads a small file.
func readText(fsys FS, path string) (string, error) {
	data, err := fsys.ReadFile(path)
	return text.Plain(strings.TrimSpace(string(data))), err
}

// reason describes in a few words why a value is missing.
func reason(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, fs.ErrPermission):
		return NoPermission
	case errors.Is(err, syscall.EAGAIN):
		return "not available now (powered down)"
	case errors.Is(err, syscall.EIO):
		return "input/output error"
	case errors.Is(err, syscall.ENODEV):
		return "device went away"
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	}
	return text.Clip(err.Error())
}

// numbers reads the integers of a list such as "115200 192000 (kHz)" and skips other words.
func numbers(raw string) []int64 {
	var out []int64
	for word := range strings.FieldsSeq(raw) {
		if v, err := strconv.ParseInt(word, 10, 64); err == nil && v > 0 {
			out = append(out, v)
		}
	}
	return out
}

// freqList reads a list of at most 4096 clocks, ascending.
func freqList(raw string) []Freq {
	var out []Freq
	for _, v := range numbers(raw) {
		if f := ClockOf(v); f <= maxFreq && len(out) < 4096 {
			out = append(out, f)
		}
	}
	return ascending(out)
}

// cpuList parses the kernel's range text: "0-3,6" is 0 1 2 3 6. Other text, or more than 1024 cores, is an error.
func cpuList(raw string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(strings.TrimSpace(raw), ",") {
		if part == "" {
			continue
		}
		first, last, ok := strings.Cut(part, "-")
		if !ok {
			last = first
		}
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		if errA != nil || errB != nil || a < 0 || b < a || b >= 1024 {
			return nil, fmt.Errorf("core list %q: %q is not a range", text.Clip(raw), text.Clip(part))
		}
		for n := a; n <= b; n++ {
			out = append(out, n)
		}
	}
	return ascending(out), nil
}
