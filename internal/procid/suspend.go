package procid

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Suspend prints a line and stops this process alone; it returns once a shell continues the process.
func Suspend(says string) error {
	_, err := fmt.Println(says)
	runtime.LockOSThread() // a signal to this thread stops the process before the call returns
	defer runtime.UnlockOSThread()
	return errors.Join(err, unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGTSTP))
}
