package control

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

// Limits of a request to another program.
const (
	controlFolder  = "control"       // in the data directory
	controlWait    = 2 * time.Second // for a request and its answer
	acceptAgain    = 50 * time.Millisecond
	controlLine    = 4096 // maximum bytes of either
	controlClients = 8    // at the same time
)

// Order is a command from another program to a task.
type Order string

// Orders. OrderLook changes nothing.
const (
	OrderLook  Order = "look"
	OrderPause Order = "pause"
	OrderGoOn  Order = "go on"
	OrderStop  Order = "stop"
)

// Control lets other programs of this user or root watch, pause and stop the task that runs here, over a socket of mode
// 0600 in the data directory:
//
//	other jtune ── {"order":"stop","task":3} ──► control/PID.sock ──► Task
//	            ◄── {"task":3,"state":"stopping"} or {"error":"…"} ──
//
// Each connection carries one request, one line each way. The caller's identity comes from the kernel, not from the
// request.
type Control struct {
	listener *net.UnixListener
	path     string
	uid      int // of this process; only this user and root may connect
	slots    chan struct{}
	serving  sync.WaitGroup

	mu     sync.Mutex
	task   *task.Task // shown last; nil: none yet
	serial int        // number of the task
}

// controlRequest is a request to the task with the number returned by OrderLook.
type controlRequest struct {
	Order Order `json:"order"`
	Task  int   `json:"task,omitempty"`
}

// Reach is what another program reports about its task.
type Reach struct {
	Task  int    `json:"task,omitempty"`
	State string `json:"state,omitempty"`       // as text
	Held  bool   `json:"held,omitempty"`        // paused, or about to pause
	Ran   int    `json:"minibatches,omitempty"` // minibatches of a training run
	Whole string `json:"whole,omitempty"`       // why it cannot be paused; "" if it can
	Error string `json:"error,omitempty"`
	User  string `json:"-"` // user who runs it
}

// wholeText says why a task that is a single load cannot be paused.
func wholeText(k task.TaskKind) string {
	if k == task.Soaking {
		return "a soak cannot be paused, only stopped"
	}
	return "a run cannot be paused, only stopped"
}

// Serve starts accepting orders for the tasks of this process, until Close.
func Serve(s *session.Session) (*Control, error) {
	return serve(s.DataPath(), os.Getpid(), os.Geteuid())
}

func serve(dataDir string, pid, uid int) (*Control, error) {
	dir := filepath.Join(dataDir, controlFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	c := &Control{uid: uid, slots: make(chan struct{}, controlClients), path: filepath.Join(dir, socketName(pid))}
	_ = os.Remove(c.path) // of a dead process with the same number
	err := inFolder(dir, func(short string) (err error) {
		at := &net.UnixAddr{Name: filepath.Join(short, socketName(pid)), Net: "unix"}
		c.listener, err = net.ListenUnix("unix", at)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	c.listener.SetUnlinkOnClose(false) // removed by its full path in Close
	if err := os.Chmod(c.path, 0o600); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.serving.Go(c.accept)
	return c, nil
}

func socketName(pid int) string { return strconv.Itoa(pid) + ".sock" }

// inFolder calls f with a short path of a folder, because the kernel limits a socket's path to 107 bytes.
func inFolder(dir string, f func(short string) error) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return f(fmt.Sprintf("/proc/self/fd/%d", d.Fd()))
}

// Close closes the socket and waits for the requests in progress. It may be called on nil.
func (c *Control) Close() error {
	if c == nil {
		return nil
	}
	err := errors.Join(c.listener.Close(), os.Remove(c.path))
	c.serving.Wait()
	return err
}

// Show makes a task visible to other programs. It may be called on nil.
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
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, say, which ends
			time.Sleep(acceptAgain)
			continue
		}
		select {
		case c.slots <- struct{}{}:
			c.serving.Go(func() {
				defer func() { <-c.slots }()
				c.serve(conn)
			})
		default: // too many connections
			conn.Close()
		}
	}
}

// serve answers one connection. A client that sends no line in time, or too long a line, gets no answer.
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

// obey carries out an order.
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

// reach asks the program that runs a campaign about its task; nil if it accepts no orders, such as another user's
// program or a command with a campaign outside the data directory.
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
		return fmt.Errorf("jtune %d cannot be reached from here; stop it where it was started", f.PID)
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
		_, _ = w.Write(append(line, '\n')) // a client that does not read gets no answer
	}
}

// peerOf returns the process at the other end, according to the kernel.
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
