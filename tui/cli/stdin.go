package cli

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"jtune/profiles/workload"
	"jtune/tui/session"
)

// inputWait is how long the program in front of a pipe may take to its first byte.
const inputWait = 300 * time.Millisecond

// readsInput reports whether a workload is a user's command that this machine runs, which may read standard input.
func readsInput(s *session.Session, w workload.Workload) bool {
	return w.Own && len(w.Command) > 0 && !w.Serves() && w.Elsewhere == nil && !s.Simulated(w)
}

// noInput refuses standard input with data for a job that is started several times, each time without any.
func noInput(in io.Reader, s *session.Session, w workload.Workload) error {
	if !readsInput(s, w) || !dataWaits(in) {
		return nil
	}
	return usagef("standard input has data, but the job is started several times, each time without any: let the job " +
		"open it: -- sh -c 'COMMAND < FILE'; or close it: < /dev/null")
}

// input returns what a job that is started once reads as its standard input: jtune's own, unless that is a terminal.
func (c *runCmd) input(s *session.Session, w workload.Workload) *os.File {
	f, ok := c.in.(*os.File)
	switch {
	case !ok || !readsInput(s, w):
		return nil
	case isTerminal(f):
		c.note(
			"the job's standard input is closed, because jtune's is a terminal: give it a file or a pipe " +
				"if it reads one",
		)
		return nil
	}
	return f
}

// forgetTyped discards what was typed at a terminal before a question that it would answer. A pipe keeps its lines.
func forgetTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok && isTerminal(f) {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}

// dataWaits reports whether data wait in a stream: in a file behind its position, or in a pipe or socket.
func dataWaits(stream io.Reader) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	if err != nil {
		return false
	}
	if st.Mode().IsRegular() {
		at, err := f.Seek(0, io.SeekCurrent)
		return err == nil && at < st.Size()
	}
	if st.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return false
	}
	fd := int(f.Fd())
	list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for end := time.Now().Add(inputWait); ; {
		if _, err = unix.Poll(list, int(max(0, time.Until(end).Milliseconds()))); err != unix.EINTR {
			break
		}
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return err == nil && n > 0
}
