// Package preflight decides before a job starts: what on this board gets in its way, who else measures
// here, and what the measurement will follow.
//
//	session ──► Conditions, MayMeasure, Claim, Sources ──► doctor, every job
package preflight

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"jtune/internal/procid"
	"jtune/internal/safefile"
	"jtune/internal/text"
	"jtune/profiles/harness/process"
	"jtune/tui/session"
)

// Jobs on one real board know of each other by a file for each process, which every user can read:
//
//	/run/lock/jtune.PID.job (DIR/run/lock below another sysroot): {pid, id, what, user, alone}
//
// A file counts while its process lives. A virtual board belongs to its process alone.

// Owner is a process that measures on a board.
type Owner struct {
	PID   int    `json:"pid"`
	ID    string `json:"id"` // see process.ID
	What  string `json:"what"`
	User  string `json:"user"`
	Alone bool   `json:"alone"` // another such job would spoil both
}

func (o Owner) String() string {
	return fmt.Sprintf("jtune %s (pid %d, user %s)", text.OneLine(o.What), o.PID, text.OneLine(o.User))
}

// ErrOccupied refuses a job on a board on which another one measures.
var ErrOccupied = errors.New("another job measures on this board")

// claims are the boards that this process has claimed, by folder.
var claims = struct {
	sync.Mutex
	n     map[string]int
	alone map[string]bool
}{n: map[string]int{}, alone: map[string]bool{}}

const mostClaim = 4096

// claimDirs are the folders that may hold claims, the first that can be written is used.
func claimDirs(s *session.Session) []string {
	if s.Sysroot == "/" || s.Sysroot == "" {
		return []string{"/run/lock", "/tmp"}
	}
	return []string{filepath.Join(s.Sysroot, "run/lock"), filepath.Join(s.Sysroot, "run")}
}

// Claim registers a job on a real board until release is called. A job that must be alone gets ErrOccupied beside
// another one of that kind, and every job sees the others by Beside. Jobs within one process do not disturb each other:
// their screens and searches take turns. A machine on which no claim can be written is not shared so.
func Claim(s *session.Session, what string, alone bool) (release func(), err error) {
	if s.Virtual != nil || s.Bundled() {
		return func() {}, nil
	}
	dir, lock := openClaims(s)
	if lock == nil {
		return func() {}, nil
	}
	defer lock.Close()
	claims.Lock()
	defer claims.Unlock()
	name := filepath.Join(dir, fmt.Sprintf("jtune.%d.job", os.Getpid()))
	release = func() {
		claims.Lock()
		defer claims.Unlock()
		if claims.n[dir]--; claims.n[dir] == 0 {
			claims.alone[dir] = false
			_ = os.Remove(name)
		}
	}
	if claims.n[dir] > 0 && (claims.alone[dir] || !alone) {
		claims.n[dir]++
		return release, nil
	}
	if err := refusedBy(s, alone); err != nil {
		return nil, err
	}
	me := Owner{
		PID:   os.Getpid(),
		ID:    procid.Of(os.Getpid()),
		What:  what,
		User:  strconv.Itoa(os.Getuid()),
		Alone: alone,
	}
	if u, err := user.Current(); err == nil {
		me.User = u.Username
	}
	data, err := json.Marshal(me)
	if err != nil {
		return nil, err
	}
	if err := safefile.Replace(name, append(data, '\n')); err != nil || os.Chmod(name, 0o644) != nil {
		return func() {}, nil
	}
	claims.n[dir]++
	claims.alone[dir] = alone
	return release, nil
}

func refusedBy(s *session.Session, alone bool) error {
	for _, o := range Beside(s) {
		if alone && o.Alone {
			return fmt.Errorf("%w: %s; wait until it ends, or end it with kill %d", ErrOccupied, o, o.PID)
		}
	}
	return nil
}

// openClaims opens the folder of claims under a lock, so that of two jobs that begin at once one sees the other; nil if
// there is none that can be written.
func openClaims(s *session.Session) (dir string, lock *os.File) {
	for i, dir := range claimDirs(s) {
		if i == 0 && s.Sysroot != "/" {
			_ = os.MkdirAll(dir, 0o755)
		}
		if syscall.Access(dir, 2|1) != nil { // W_OK, X_OK
			continue
		}
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX) == nil {
			return dir, f
		}
		_ = f.Close()
	}
	return "", nil
}

// Beside lists the jobs of other processes on this board.
func Beside(s *session.Session) (out []Owner) {
	if s.Virtual != nil || s.Bundled() {
		return nil
	}
	for _, dir := range claimDirs(s) {
		names, _ := filepath.Glob(filepath.Join(dir, "jtune.*.job"))
		for _, name := range names {
			if o, ok := ownerOf(name); ok && o.PID != os.Getpid() {
				out = append(out, o)
			}
		}
	}
	return out
}

// ownerOf reads a claim; false if its process has ended, or is another user's than the file: a claim of a stranger's
// process is none.
func ownerOf(name string) (o Owner, ok bool) {
	data, err := safefile.Read(name, mostClaim)
	if err != nil || json.Unmarshal(data, &o) != nil || o.ID == "" {
		return o, false
	}
	if !process.Alive(o.PID, o.ID) {
		_ = os.Remove(name) // where this user may
		return o, false
	}
	st, err := os.Stat(name)
	if err != nil {
		return o, false
	}
	file, isUnix := st.Sys().(*syscall.Stat_t)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.PID))
	return o, isUnix && err == nil && strings.Contains(uidLine(string(status)), "\t"+strconv.Itoa(int(file.Uid))+"\t")
}

// uidLine returns the users of a process, each between tabs (proc(5)).
func uidLine(status string) string {
	for line := range strings.Lines(status) {
		if ids, ok := strings.CutPrefix(line, "Uid:"); ok {
			return strings.TrimRight(ids, "\n") + "\t"
		}
	}
	return ""
}
