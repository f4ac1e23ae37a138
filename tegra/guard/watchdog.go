package guard

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"jtune/tegra"
)

// startWatchdog starts the process that restores if this one is killed. It waits for the returned pipe end to close,
// which happens whenever this process ends.
func (st stages) startWatchdog(lock *os.File) (end *os.File, err error) {
	watched, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer watched.Close()
	if err := st.start(stageWatch, []*os.File{watched, lock}, nil, nil); err != nil {
		end.Close()
		return nil, err
	}
	return end, nil
}

// watchProcess waits for the guard to end and restores what the guard did not.
func watchProcess(sysroot string) error {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE, syscall.SIGTERM)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)
	watched := os.NewFile(watchFD, "guard")
	lock := os.NewFile(lockFD, "lock")
	if watched == nil || lock == nil {
		return errors.New("the watchdog is started by a guard, not by hand")
	}
	defer lock.Close()
	buf := make([]byte, 1)
	for {
		if _, err := watched.Read(buf); err != nil {
			break
		}
	}
	return restoreLeft(sysroot)
}

// restoreLeft restores the state of a killed guard, if any.
func restoreLeft(sysroot string) error {
	fsys := tegra.DiskFS(sysroot)
	st, err := stateStore(fsys, false)
	if err != nil {
		return err
	}
	if left, err := st.load(foundFile); err != nil || left == nil {
		return err
	}
	s, err := NewServer(fsys, tegra.RealClock(), ServerOptions{Persist: true, Log: os.Stderr})
	if err != nil {
		return err
	}
	defer s.sysfs.Close()
	s.logf("the guard was killed: restoring")
	_, err = s.recoverPending()
	return err
}
