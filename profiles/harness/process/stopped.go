package process

import (
	"encoding/binary"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statusAt is the offset of the stopping signal in the result of waitid(2) on 64-bit machines.
const statusAt = 24

// WantsTerminal reports whether a child is stopped because it reads or sets the terminal, which belongs to jtune. It
// does not reap the child.
func WantsTerminal(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err != nil || info.Signo != int32(syscall.SIGCHLD) {
		return false
	}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&info)), unsafe.Sizeof(info))
	sig := syscall.Signal(binary.NativeEndian.Uint32(raw[statusAt:]))
	return sig == syscall.SIGTTIN || sig == syscall.SIGTTOU
}
