package guard

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// heldFS is a disk whose first write blocks until it is released.
type heldFS struct {
	tegra.FS
	begun, release chan struct{}
	once           sync.Once
}

func (h *heldFS) WriteFile(name string, data []byte) error {
	h.once.Do(func() {
		close(h.begun)
		<-h.release
	})
	return h.FS.WriteFile(name, data)
}

// userFS is the board for a user who may not enter debugfs.
type userFS struct{ tegra.FS }

func (u userFS) check(name string) error {
	if strings.HasPrefix(name, "/sys/kernel/debug/") {
		return &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
	}
	return nil
}

func (u userFS) Open(name string) (tegra.File, error) {
	if err := u.check(name); err != nil {
		return nil, err
	}
	return u.FS.Open(name)
}

func (u userFS) ReadFile(name string) ([]byte, error) {
	if err := u.check(name); err != nil {
		return nil, err
	}
	return u.FS.ReadFile(name)
}

func (u userFS) Stat(name string) (fs.FileInfo, error) {
	if err := u.check(name); err != nil {
		return nil, err
	}
	return u.FS.Stat(name)
}

func TestServeKeepsSensorsReadableWhileAModeIsSet(t *testing.T) {
	t.Parallel()
	disk := tegra.DiskFS(tegratest.AGXOrin35(t))
	h := &heldFS{FS: disk, begun: make(chan struct{}), release: make(chan struct{})}
	c := must.Get(InProcess(h, tegra.RealClock()))(t)
	defer c.Close()
	device := must.Get(tegra.Open(userFS{disk}, tegra.RealClock()))(t)
	defer device.Close()
	device.UsePrivileged(c.ReadFile)
	applied := make(chan error, 1)
	go func() {
		_, err := c.Apply(context.Background(), tegra.Request{Mode: mid})
		applied <- err
	}()
	<-h.begun
	r, err := device.Read() // a read that waited for the mode would time out and be absent
	if want := tegra.Some(2133 * tegra.MHz); err != nil || r.EMC.Actual != want || !r.EMC.LoadPct.OK {
		t.Errorf("while a mode is set: EMC %+v, missing %v, %v; want %v", r.EMC, r.Missing, err, want)
	}
	for range 3 {
		if data, err := c.ReadFile(tegratest.EMC + "/rate"); err != nil || string(data) != "2133000000\n" {
			t.Errorf("while a mode is set: %q, %v", data, err)
		}
	}
	select {
	case err := <-applied:
		t.Errorf("the mode was set in that time: %v", err)
	default:
	}
	close(h.release)
	if err := <-applied; err != nil {
		t.Error(err)
	}
}

// fullPipe is a pipe into which nothing more can be written.
func fullPipe(t *testing.T) (w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must.NoError(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	must.NoError(t, w.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
	if _, err := w.Write(make([]byte, 1<<21)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("filling the pipe: %v", err)
	}
	must.NoError(t, w.SetWriteDeadline(time.Time{}))
	return w
}

const requestSlow = `{"id":1,"op":"apply","mode":{"cores":2,"cpu_khz":268800,"gpu_hz":114750000,"mem_hz":204000000}`

func TestServeRestoresForAClientThatStoppedReading(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(requests *io.PipeWriter, term func()){
		"its pipe closes": func(requests *io.PipeWriter, term func()) { requests.Close() },
		"TERM":            func(requests *io.PipeWriter, term func()) { term() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tegratest.AGXOrin35(t)
			before := tegratest.Contents(t, root)
			asFound := func() bool { return len(tegratest.Differences(before, tegratest.Contents(t, root))) == 0 }
			s := must.Get(NewServer(tegra.DiskFS(root), tegra.RealClock(), ServerOptions{}))(t)
			s.flush = 10 * time.Millisecond
			in, requests := io.Pipe()
			ctx, term := context.WithCancel(t.Context())
			defer term()
			ended := make(chan error, 1)
			full := fullPipe(t)
			go func() { ended <- Serve(ctx, in, full, s) }()

			// A countdown whose event cannot be written still reverts,
			io.WriteString(requests, requestSlow+`,"keep_after_ms":100}`+"\n")
			must.Until(t, "the countdown reverts", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return s.lapsed && asFound()
			})
			// and so does the end, with answers unread.
			io.WriteString(requests, requestSlow+"}\n"+strings.Repeat(`{"id":2,"op":"nothing"}`+"\n", 2*maxUnread))
			must.Until(t, "the mode is set again", func() bool { return !asFound() })
			end(requests, term)
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(must.Patience):
				t.Fatal("still serving")
			}
			wantSame(t, before, root, "at the end")
		})
	}
}
