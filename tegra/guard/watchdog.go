package guard

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

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
	ready, said, err := os.Pipe()
	if err == nil {
		defer ready.Close()
		err = st.start(stageWatch, []*os.File{watched, lock, said}, nil, nil)
		said.Close()
	}
	if err == nil {
		_ = ready.SetReadDeadline(time.Now().Add(closeWait))
		if _, err = ready.Read(make([]byte, 1)); err != nil {
			err = fmt.Errorf("the guard's watchdog did not start: %w", err)
		}
	}
	if err != nil {
		end.Close()
		return nil, err
	}
	return end, nil
}

// threads is how many threads a guard and its watchdog have: reading and writing files blocks one each.
const threads = 8

// startThreads starts the threads that this process will need, because later a job may have taken all that the system
// allows; Go keeps them for reuse. Without them the Go runtime ends the process, here before anything is set.
func startThreads() {
	runtime.GOMAXPROCS(2)
	var begun, ended sync.WaitGroup
	free := make(chan struct{})
	for range threads {
		begun.Add(1)
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			begun.Done()
			<-free
		})
	}
	begun.Wait()
	close(free)
	ended.Wait()
}

// watchProcess waits for the guard to end and restores what the guard did not.
func watchProcess(sysroot string) error {
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGPIPE, syscall.SIGTERM)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)
	watched := os.NewFile(watchFD, "guard")
	lock := os.NewFile(lockFD, "lock")
	ready := os.NewFile(readyFD, "ready")
	if watched == nil || lock == nil || ready == nil {
		return errors.New("the watchdog is started by a guard, not by hand")
	}
	defer lock.Close()
	startThreads()
	if _, err := ready.Write([]byte{1}); err != nil {
		return err
	}
	ready.Close()
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
