package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed system.sh
var systemScript string

// system is a Debian system with systemd, sudo, OpenSSH and two or four processors. Its users are root, worker (with
// the sudoers line of docs/howto/many-boards.md), other (sudo with a password) and guest (no rights).
type system struct {
	b        media
	disk     string
	monitor  string // QEMU's socket
	key      string
	port     int
	e        *emulator
	mu       sync.Mutex    // of e, for a power cut from aside
	booted   time.Duration // what the last boot took
	checks   int
	findings []string
	log      io.Writer
	sleeps   bool // it was suspended in this boot
	uml      bool // user-mode Linux without SSH: commands go to the console
	commands int  // given to the console
	stopped  func() bool
}

// twoCores is a mode of the fake board with two processors.
const twoCores = "2c/0.73C/0.31G/2.13M"

// day is the tests between two boots of the system; it starts with the disk of the earlier days.
type day struct {
	name string
	try  func(*system, context.Context)
}

var days = []day{
	{"package", (*system).packaged},
	{"users", (*system).users},
	{"set", (*system).setAtBoot},
	{"unset", (*system).notAtBoot},
	{"refused", (*system).refused},
	{"sleep1", (*system).sleepOnTrial},
	{"sleep2", (*system).sleepWhileMeasuring},
}

func dayNames() (names []string) {
	for _, d := range days {
		names = append(names, d.name)
	}
	return names
}

func trySystem(ctx context.Context, l *lab) (int, []string, error) {
	s, err := l.newSystem(ctx, "system")
	if err != nil {
		return 0, nil, err
	}
	for _, d := range days {
		if !slices.Contains(strings.Split(l.days, ","), d.name) {
			continue
		}
		s.sleeps = strings.HasPrefix(d.name, "sleep")
		if err := s.boot(ctx); err != nil {
			return s.checks, s.findings, err
		}
		d.try(s, ctx)
		if ctx.Err() != nil { // stopped: the tests until then count
			s.e.cut()
			break
		}
		s.ssh(ctx, "root", "systemctl reboot")
		s.end(ctx)
	}
	return s.checks, s.findings, ctx.Err()
}

// newSystem creates the disk of a part, or uses an earlier call's.
func (l *lab) newSystem(ctx context.Context, name string) (*system, error) {
	b, err := l.newMedia(ctx, "amd64")
	if err != nil {
		return nil, err
	}
	l.debian.Lock()
	defer l.debian.Unlock()
	s := &system{b: b, disk: filepath.Join(l.dir, name+".img"), key: filepath.Join(l.dir, "key"), log: l.log,
		monitor: filepath.Join(l.dir, name+".monitor"), stopped: func() bool { return ctx.Err() != nil }}
	fresh := filepath.Join(l.dir, "fresh.img")
	if _, err := os.Stat(fresh); err != nil {
		if err := sh(ctx, systemScript, filepath.Join(l.dir, "debian"), filepath.Join(l.dir, "amd64"), s.key, l.suite,
			fresh); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(s.disk); err == nil {
		return s, nil
	}
	return s, sh(ctx, `cp --sparse=always "$1" "$2.part"; mv "$2.part" "$2"`, fresh, s.disk)
}

func (s *system) boot(ctx context.Context) error {
	if s.uml {
		return s.bootUML(ctx)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	begun := time.Now()
	more := []string{"-smp", "4"}
	if s.sleeps { // an offline processor then spins in QEMU's firmware: each gets its own thread
		more = []string{"-smp", "2", "-accel", "tcg,thread=multi"}
	}
	e, err := s.b.start(ctx, s.disk, "run=system", append(more, "-monitor", "unix:"+s.monitor+",server=on,wait=off",
		"-nic", fmt.Sprintf("user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:%d-:22", s.port))...)
	if err != nil {
		return err
	}
	s.runs(e)
	for late := e.deadline(2 * hang); ; {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := s.ssh(ctx, "root", "systemctl is-system-running --wait")
		if o.code != 255 { // ssh's own
			s.booted = time.Since(begun)
			fmt.Fprintf(s.log, "system: up after %.0f s: %s", time.Since(begun).Seconds(), o.out)
			return nil
		}
		if !s.up() {
			return errEnded
		}
		if late() {
			s.e.cut()
			return fmt.Errorf("nobody can log in: %s\n%s", o.out, strings.Join(s.e.said(), "\n"))
		}
		time.Sleep(time.Second)
	}
}

func (s *system) runs(e *emulator) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.e = e
}

// errEnded reports that the machine has rebooted, or lost its power, before anybody could log in.
var errEnded = errors.New("the machine ended while it booted")

// up reports whether the machine runs.
func (s *system) up() bool {
	select {
	case <-s.e.ended:
		return false
	default:
		return true
	}
}

// end waits until the machine, which reboots, has ended: it ends instead of booting again.
func (s *system) end(ctx context.Context) {
	patience, cancel := s.e.within(ctx, hang)
	defer cancel()
	select {
	case <-s.e.ended:
	case <-patience.Done():
		s.findings = append(s.findings, "the machine does not reboot")
	}
	s.e.cut()
}

// powerFails cuts the power of whichever boot this is.
func (s *system) powerFails() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.e.kill()
}

// said is the output of a command, both streams together, and its exit code.
type said struct {
	out  string
	code int
}

func (s *system) ssh(ctx context.Context, user, command string) said {
	return s.run(ctx, user, command, false, "", nil)
}

// typed runs a user's command in a terminal.
func (s *system) typed(ctx context.Context, user, command, prompt string, answers []func(io.Writer)) said {
	return s.run(ctx, user, command, true, prompt, answers)
}

// run runs a user's command, in a terminal or not. Each time the prompt appears it calls the next answer.
func (s *system) run(ctx context.Context, user, command string, terminal bool, prompt string,
	answers []func(io.Writer)) said {
	if s.uml {
		return s.console(command, prompt, answers)
	}
	ctx, cancel := s.e.within(ctx, hang)
	defer cancel()
	words := []string{"-F", "none", "-p", strconv.Itoa(s.port), "-i", s.key, "-o", "IdentitiesOnly=yes", "-o",
		"BatchMode=yes", "-o", "LogLevel=ERROR", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "ConnectTimeout=100"}
	if terminal {
		words = append(words, "-tt")
	}
	cmd := exec.CommandContext(ctx, "ssh", append(words, user+"@127.0.0.1", command)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		return said{err.Error(), 255}
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return said{err.Error(), 255}
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return said{err.Error(), 255}
	}
	var text bytes.Buffer
	buf, seen := make([]byte, 4096), 0
	for {
		n, err := out.Read(buf)
		text.Write(buf[:n])
		if len(answers) > 0 && bytes.Contains(text.Bytes()[seen:], []byte(prompt)) {
			seen = text.Len()
			answers[0](hangUp{in, cmd})
			answers = answers[1:]
		}
		if err != nil {
			break
		}
	}
	_ = cmd.Wait()
	return said{text.String(), cmd.ProcessState.ExitCode()}
}

// hangUp is the keyboard of a terminal whose connection can be lost.
type hangUp struct {
	io.Writer
	cmd *exec.Cmd
}

func types(text string) func(io.Writer) {
	return func(w io.Writer) { _, _ = io.WriteString(w, text) }
}

// check records a finding if the result is not as expected, unless the machine was stopped from outside.
func (s *system) check(what string, got said, code int, words ...string) {
	if s.stopped() {
		return
	}
	s.checks++
	wrong := got.code != code
	for _, w := range words {
		wrong = wrong || !strings.Contains(got.out, w)
	}
	if wrong {
		s.findings = append(s.findings, fmt.Sprintf("%s: exit code %d, want %d and %q; it said:\n%s", what, got.code,
			code, words, got.out))
	}
	fmt.Fprintf(s.log, "system: %s: %v\n", what, map[bool]string{true: "WRONG", false: "holds"}[wrong])
}

// processors waits until the kernel has that many processors online.
func (s *system) processors(ctx context.Context, what string, want int) {
	s.check(what, s.ssh(ctx, "root", fmt.Sprintf("for i in $(seq 300); do "+
		"[ $(grep -c ^processor /proc/cpuinfo) = %d ] && exit 0; sleep 0.2; done; cat /proc/cpuinfo", want)), 0)
}

// users tests what each user may do, and what is restored when a user disconnects or the clock changes.
func (s *system) users(ctx context.Context) {
	s.check("the sudoers line sets a mode", s.ssh(ctx, "worker", "jtune apply "+twoCores+" --yes"), 0, "kept")
	s.processors(ctx, "two processors are offline for real", 2)
	s.check("the sudoers line reverts it", s.ssh(ctx, "worker", "jtune revert"), 0)
	s.processors(ctx, "they are online again", 4)
	s.check("the sudoers line allows nothing else", s.ssh(ctx, "worker", "sudo -n id"), 1, "password is required")
	apply := "jtune apply " + twoCores + " --yes"
	s.check("no rights", s.typed(ctx, "guest", apply, "password for guest: ", []func(io.Writer){types("guest\n")}), 3)
	s.check("three wrong passwords", s.typed(ctx, "other", apply, "password for other: ",
		[]func(io.Writer){types("a\n"), types("b\n"), types("c\n")}), 3)
	s.check("no answer to sudo, which gives up", s.typed(ctx, "other", apply, "password for other: ",
		[]func(io.Writer){func(io.Writer) {}}), 3)
	s.check("the right password", s.typed(ctx, "other", apply, "password for other: ",
		[]func(io.Writer){types("secret\n")}), 0, "kept")
	s.check("root reverts it", s.ssh(ctx, "root", "jtune revert"), 0)
	s.processors(ctx, "all processors are online", 4)

	ask := "jtune apply " + twoCores + " --keep-after "
	s.typed(ctx, "worker", ask+"10m", "keep this mode?", []func(io.Writer){func(w io.Writer) {
		s.check("root at the same time", s.ssh(ctx, "root", "jtune apply MAXN --yes"), 4, "another jtune guard")
		s.check("a second user holds the lock", s.ssh(ctx, "other",
			"flock --nonblock /run/jtune/guard.lock true || exit 7"), 7)
		_ = w.(hangUp).cmd.Process.Kill()
	}})
	s.processors(ctx, "the connection is lost: the mode is restored", 4)
	s.check("no process is left", s.ssh(ctx, "root",
		"for i in $(seq 300); do pgrep -x jtune >/dev/null || exit 0; sleep 0.2; done; exit 1"), 0)
	s.check("the clock goes back a year", s.typed(ctx, "worker", ask+"20s", "keep this mode?",
		[]func(io.Writer){func(io.Writer) { s.ssh(ctx, "root", "date -s '1 year ago'") }}), 6)
	s.processors(ctx, "the mode is restored all the same", 4)
	again := "jtune apply " + twoCores + " --yes && jtune revert && echo quick && sleep 35 && jtune apply MAXN --yes"
	s.check("sudo's time-out: it asks again once a password has grown old", s.typed(ctx, "other", again,
		"password for other: ", []func(io.Writer){types("secret\n"), types("secret\n")}), 0, "quick", "kept")
	s.check("what another user has set is the board's", s.ssh(ctx, "root", "jtune revert"), 0)
	s.check("root sets a mode for every boot", s.ssh(ctx, "root", "jtune apply "+twoCores+" --yes --at-boot"), 0,
		"written and enabled")
}

func (s *system) setAtBoot(ctx context.Context) {
	s.processors(ctx, "the mode is set after a reboot", 2)
	s.check("its unit is active", s.ssh(ctx, "root", "systemctl is-active jtune-mode; jtune device"), 0, "active\n",
		"now            "+twoCores)
	s.check("it is removed", s.ssh(ctx, "root", "jtune apply --at-boot off"), 0, "removed")
}

func (s *system) notAtBoot(ctx context.Context) {
	s.processors(ctx, "once removed, it is not set after a reboot", 4)
	s.check("there is no unit", s.ssh(ctx, "root", "systemctl status jtune-mode"), 4)
	s.strays(ctx)
	s.check("a knob that will refuse", s.ssh(ctx, "root",
		"jtune apply "+twoCores+" --yes --at-boot && touch /etc/refuse"), 0, "written and enabled")
}

func (s *system) refused(ctx context.Context) {
	s.check("the unit fails visibly", s.ssh(ctx, "root",
		"systemctl is-failed jtune-mode; systemctl is-system-running; journalctl -u jtune-mode -o cat"), 0,
		"failed\n", "degraded\n", "max_freq")
	s.processors(ctx, "the board is restored", 4)
	s.check("the knob takes values again", s.ssh(ctx, "root", "jtune apply --at-boot off && rm /etc/refuse"), 0)
}

// strays tests whether a process that belongs to a job only by its control group ends with the job.
func (s *system) strays(ctx context.Context) {
	const (
		run   = "jtune run stray --no-instrument --no-record --minibatches 20"
		there = `pgrep -f "^/bin/sleep 7777"`
		gone  = "for i in $(seq 300); do " + there + " || exit 0; sleep 0.2; done; exit 1"
	)
	s.check("as root, a process without its job's environment ends with the job", s.ssh(ctx, "root",
		run+" || exit; "+gone), 0)
	s.check("and with a jtune that is killed", s.ssh(ctx, "root",
		run+"0 & until "+there+"; do sleep 0.2; done; kill -9 $!; "+gone), 0)
	// systemd itself would end the rest of the unit.
	s.check("in a unit that is delegated to a user too", s.ssh(ctx, "root", "systemd-run --quiet --unit delegated "+
		"-p User=worker -p Delegate=yes -p KillMode=process -p BindPaths=/run/board/sys:/sys -p RemainAfterExit=yes "+
		"-p StandardError=file:/tmp/delegated sh -c '"+there+" && exit 1; "+run+" && touch /tmp/done' && "+
		"for i in $(seq 300); do [ -e /tmp/done ] && break; sleep 0.2; done; cat /tmp/delegated; "+
		"[ -e /tmp/done ] || exit; "+gone), 0)
	s.check("no control group is left", s.ssh(ctx, "root", "ls -d /sys/fs/cgroup/system.slice/*/JTUNE*"), 2)
}
