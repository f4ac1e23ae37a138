package telemetry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"

	"jtune/internal/safefile"
	"jtune/tegra"
)

// Dataset is the set of files below a folder of this machine. Cached returns how much of them is in the page cache.
type Dataset struct {
	Files int // without empty files
	Bytes int64
	look  []string // files that Cached checks: all, or an even subset of many
}

// mostLooked bounds how many files Cached checks: about 10 µs each.
const mostLooked = 4096

// ListDataset finds the files below a folder. It skips names that cannot be listed and returns an error for a folder
// without files.
func ListDataset(dir string) (*Dataset, error) {
	d := &Dataset{}
	var all []string
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, safefile.Cause(err))
	}
	err = filepath.WalkDir(real, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && path == real:
			return err
		case err != nil || !e.Type().IsRegular():
			return nil
		}
		if st, err := e.Info(); err == nil && st.Size() > 0 {
			all, d.Bytes = append(all, path), d.Bytes+st.Size()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, safefile.Cause(err))
	}
	if d.Files = len(all); d.Files == 0 {
		return nil, fmt.Errorf("data folder %s: it holds no file", dir)
	}
	d.look = evenly(all, mostLooked)
	return d, nil
}

// evenly returns at most that many of a list, at equal distances from the first.
func evenly(all []string, most int) (some []string) {
	step := (len(all) + most - 1) / most
	for i := 0; i < len(all); i += step {
		some = append(some, all[i])
	}
	return some
}

// Cached returns the share, 0 to 1, of the files' bytes in the page cache, queried per file (cachestat(2); mincore(2)
// before Linux 6.5). The kernel answers only the owner of a file and users who may write it; for others Cached returns
// an error that says so.
func (d *Dataset) Cached() (tegra.Val[float64], error) {
	var bytes, resident int64
	var first error
	for _, path := range d.look {
		size, in, err := cachedOf(path)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		bytes, resident = bytes+size, resident+in
	}
	if bytes == 0 {
		return tegra.Val[float64]{}, first
	}
	return tegra.Some(float64(resident) / float64(bytes)), nil
}

// cachedOf returns a file's size and how many of its bytes are in the page cache.
func cachedOf(path string) (size, resident int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return 0, 0, err
	}
	pages, err := pagesOf(f, st.Size(), cachestat)
	if err != nil {
		return 0, 0, &fs.PathError{Op: "page cache of", Path: path, Err: err}
	}
	return st.Size(), min(st.Size(), pages*int64(os.Getpagesize())), nil
}

// pagesOf counts a file's pages in the page cache by the newer call, or by mincore where the kernel lacks that.
func pagesOf(f *os.File, size int64, newer func(*os.File) (int64, error)) (int64, error) {
	pages, err := newer(f)
	if errors.Is(err, unix.ENOSYS) {
		return mincore(f, size)
	}
	return pages, err
}

// cachestat counts a file's pages in the page cache (Linux 6.5).
func cachestat(f *os.File) (int64, error) {
	var out unix.Cachestat_t
	err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &out, 0)
	return int64(out.Cache), err
}

// window is how much of a file is mapped at a time.
const window = 256 << 20

// mincore counts a file's pages in the page cache. To users who neither own the file nor may write it, the kernel
// reports every page as cached (Linux 5.2, mm/mincore.c).
func mincore(f *os.File, size int64) (pages int64, err error) {
	if !mayAsk(f) {
		return 0, fmt.Errorf("%w: only the file's owner and users who may write it can see this", fs.ErrPermission)
	}
	page := int64(os.Getpagesize())
	for at := int64(0); at < size; at += window {
		n := min(window, size-at)
		mem, err := unix.Mmap(int(f.Fd()), at, int(n), unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			return 0, err
		}
		in := make([]byte, (n+page-1)/page)
		from, to := uintptr(unsafe.Pointer(&mem[0])), uintptr(unsafe.Pointer(&in[0]))
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, from, uintptr(n), to)
		if err := unix.Munmap(mem); err != nil {
			return 0, err
		}
		if errno != 0 {
			return 0, errno
		}
		for _, b := range in {
			pages += int64(b & 1)
		}
	}
	return pages, nil
}

func mayAsk(f *os.File) bool {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return false
	}
	me := os.Geteuid()
	return me == 0 || int(st.Uid) == me || unix.Access(f.Name(), unix.W_OK) == nil
}
