package remote

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"jtune/profiles/record"
	"jtune/tui/session"
	"jtune/tui/session/task"
)

// Bounds of a request to another program.
const (
	controlFolder  = "control"       // of the data directory
	controlWait    = 2 * time.Second // for a whole request and its answer
	controlLine    = 4096            // bytes of either
	controlClients = 8               // at a time
)

// Order is what another program may do with a task.
type Order string

// Orders. Look changes nothing.
const (
	OrderLook  Order = "look"
	OrderPause Order = "pause"
	OrderGoOn  Order = "go on"
	OrderStop  Order = "stop"
)

// Control lets other programs of this user, or of root, look at the task that runs here, pause and
// stop it, over a socket of mode 0600 in the data directory:
//
//	other jtune ── {"order":"stop","task":3} ──► control/PID.sock ──► Task
//	            ◄── {"task":3,"state":"stopping"} or {"error":"…"} ──
//
// Each connection is one request, one line each way. The kernel says who asks, the request does not.
type Control struct {
	listener *net.UnixListener
	path     string
	uid      int // of this process: it and root may ask
	slots    chan struct{}
	serving  sync.WaitGroup

	mu     sync.Mutex
	task   *task.Task // shown last; nil: none yet
	serial int        // of it
}

// controlRequest is a request to the task of that number, which OrderLook has given.
type controlRequest struct {
	Order Order `json:"order"`
	Task  int   `json:"task,omitempty"`
}

// Reach is what another program says of the task that it runs.
type Reach struct {
	Task  int    `json:"task,omitempty"`
	State string `json:"state,omitempty"`       // in words
	Held  bool   `json:"held,omitempty"`        // it is paused, or will be
	Ran   int    `json:"minibatches,omitempty"` // of a training run
	Whole string `json:"whole,omitempty"`       // why it cannot be paused; "" where it can
	Error string `json:"error,omitempty"`
	User  string `json:"-"` // who runs it
}

// wholeText says why a task that is one load cannot be paused.
func wholeText(k task.TaskKind) string {
	if k == task.Soaking {
		return "a soak cannot be paused, only stopped"
	}
	return "a run cannot be paused, only stopped"
}

// Serve begins to take orders for the tasks of this process. Close ends it.
func Serve(s *session.Session) (*Control, error) {
	return serve(s.DataPath(), os.Getpid(), os.Geteuid())
}

func serve(dataDir string, pid, uid int) (*Control, error) {
	dir := filepath.Join(dataDir, controlFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	c := &Control{uid: uid, slots: make(chan struct{}, controlClients), path: filepath.Join(dir, socketName(pid))}
	_ = os.Remove(c.path) // of a dead process that had the same number
	err := inFolder(dir, func(short string) (err error) {
		at := &net.UnixAddr{Name: filepath.Join(short, socketName(pid)), Net: "unix"}
		c.listener, err = net.ListenUnix("unix", at)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	c.listener.SetUnlinkOnClose(false) // by its whole path, below
	if err := os.Chmod(c.path, 0o600); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.serving.Go(c.accept)
	return c, nil
}

func socketName(pid int) string { return strconv.Itoa(pid) + ".sock" }

// inFolder calls f with a short name of a folder: the kernel takes 107 bytes of a socket's path.
func inFolder(dir string, f func(short string) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return f(fmt.Sprintf("/proc/self/fd/%d", d.Fd()))
}

// Close ends the socket and waits for the requests in progress. A nil Control has nothing to end.
func (c *Control) Close() error {
	if c == nil {
		return nil
	}
	err := errors.Join(c.listener.Close(), os.Remove(c.path))
	c.serving.Wait()
	return err
}

// Show makes a task the one that others may look at. A nil Control shows nothing.
func (c *Control) Show(t *task.Task) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.task, c.serial = t, c.serial+1
}

func (c *Control) accept() {
	for {
		conn, err := c.listener.AcceptUnix()
		if err != nil {
			return
		}
		select {
		case c.slots <- struct{}{}:
			c.serving.Go(func() {
				defer func() { <-c.slots }()
				c.serve(conn)
			})
		default: // too many at a time
			conn.Close()
		}
	}
}

// serve answers one connection. A client that sends no line in time, or too long a one, gets no answer.
func (c *Control) serve(conn *net.UnixConn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(controlWait))
	peer, err := peerOf(conn)
	if err != nil || !c.may(peer.Uid) {
		return
	}
	var r controlRequest
	if err := readLine(conn, &r); err != nil {
		return
	}
	writeLine(conn, c.obey(r, fmt.Sprintf("%s (jtune %d)", userName(peer.Uid), peer.Pid)))
}

// may reports whether a user may give orders.
func (c *Control) may(uid uint32) bool { return int(uid) == c.uid || uid == 0 }

// obey carries an order out.
func (c *Control) obey(r controlRequest, by string) Reach {
	c.mu.Lock()
	t, serial := c.task, c.serial
	c.mu.Unlock()
	switch {
	case t == nil || t.Over():
		return Reach{Error: "no task runs there any more"}
	case r.Order != OrderLook && r.Task != serial:
		return Reach{Error: "another task runs there by now"}
	case t.Whole && (r.Order == OrderPause || r.Order == OrderGoOn):
		return Reach{Error: wholeText(t.Kind)}
	}
	switch r.Order {
	case OrderLook:
	case OrderPause, OrderGoOn:
		t.Pause(r.Order == OrderPause, by)
	case OrderStop:
		t.Stop(by)
	default:
		return Reach{Error: "an unknown order"}
	}
	now := t.Now()
	out := Reach{Task: serial, State: now.State.String(), Held: now.State == task.Pausing || now.State == task.Paused}
	if t.Whole {
		out.Ran, out.Whole = now.Progress.Minibatch, wholeText(t.Kind)
	}
	return out
}

// reach asks the program that runs a campaign about its task; nil where it takes no orders: another
// user's program, a command whose campaign is outside the data directory.
func reach(r record.Running) *Reach {
	got, err := send(r, controlRequest{Order: OrderLook})
	if err != nil {
		return nil
	}
	return &got
}

// Give gives an order to the program that runs the campaign.
func (f *Followed) Give(o Order) error {
	if f.Reach == nil {
		return fmt.Errorf("jtune %d takes no orders; stop it where it was started", f.PID)
	}
	_, err := send(f.Running, controlRequest{Order: o, Task: f.Reach.Task})
	return err
}

// send sends a request to the program that runs a campaign.
func send(r record.Running, ask controlRequest) (Reach, error) {
	dir := filepath.Join(filepath.Dir(filepath.Dir(r.Dir)), controlFolder)
	var got Reach
	err := inFolder(dir, func(short string) error {
		conn, err := net.DialTimeout("unix", filepath.Join(short, socketName(r.PID)), controlWait)
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(controlWait))
		peer, err := peerOf(conn.(*net.UnixConn))
		if err != nil || int(peer.Pid) != r.PID {
			return fmt.Errorf("jtune %d is gone", r.PID)
		}
		got.User = userName(peer.Uid)
		writeLine(conn, ask)
		return readLine(conn, &got)
	})
	if err == nil && got.Error != "" {
		err = fmt.Errorf("jtune %d: %s", r.PID, got.Error)
	}
	return got, err
}

func readLine(r io.Reader, into any) error {
	line, err := bufio.NewReader(io.LimitReader(r, controlLine)).ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

func writeLine(w io.Writer, what any) {
	if line, err := json.Marshal(what); err == nil {
		_, _ = w.Write(append(line, '\n')) // one that does not read gets none
	}
}

// peerOf is who is at the other end, as the kernel says.
func peerOf(conn *net.UnixConn) (peer *unix.Ucred, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	if e := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		return nil, e
	}
	return peer, err
}

func userName(uid uint32) string {
	if u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("user %d", uid)
}
