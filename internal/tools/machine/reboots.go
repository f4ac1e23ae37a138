package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// lastLine is in the last line before jtune's question, which has no end of line.
	lastLine     = "The unit removes itself."
	shortReboots = 3  // tries without JTUNE_LONG
	longReboots  = 30 // with it
	mostBoots    = 8  // until a try has come to rest
	stagedUnit   = "/etc/systemd/system/jtune-staged.service"
)

// preset is a preset of the fake board, as the stand-in for nvpmodel's service sets it.
type preset struct{ name, id, mask string }

var gated = [2]preset{{"MAXN", "0000", "0"}, {"MODE_30W", "0002", "240"}}

// tryReboots stages presets that need a reboot on the Debian system: with a yes, without one, and with a power cut at a
// random moment. A campaign over such presets comes first. It returns the number of tries.
func tryReboots(ctx context.Context, l *lab) (count int, findings []string, err error) {
	s, err := l.newSystem(ctx, "reboots")
	if err != nil {
		return 0, nil, err
	}
	tries := l.reboots
	if tries == 0 {
		tries = shortReboots
		if os.Getenv("JTUNE_LONG") != "" {
			tries = longReboots
		}
	}
	s.uml = true
	if err = s.boot(ctx); err == nil {
		s.unit(ctx)
		err = s.campaignOverReboots(ctx)
	}
	draw := rand.New(rand.NewPCG(uint64(l.seed), 2))
	for ; err == nil && count < tries && ctx.Err() == nil; count++ {
		yes, cut := draw.IntN(2) == 1, time.Duration(0)
		if count%3 > 0 {
			cut = time.Duration(draw.Int64N(int64(2 * s.booted)))
		}
		err = s.stageAndBoot(ctx, count+1, yes, cut)
	}
	if s.e != nil {
		s.e.cut()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return count, s.findings, err
}

// unwanted are units that no test here needs: without them a boot takes seconds.
const unwanted = `ssh.service systemd-networkd.service systemd-networkd.socket systemd-network-generator.service
	systemd-udevd.service systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket
	systemd-logind.service getty.target timers.target paths.target modprobe@configfs.service modprobe@dm_mod.service
	modprobe@efi_pstore.service modprobe@fuse.service modprobe@loop.service modprobe@drm.service dev-hugepages.mount
	dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount proc-sys-fs-binfmt_misc.automount
	systemd-modules-load.service systemd-sysctl.service systemd-sysusers.service systemd-tmpfiles-setup-dev.service
	systemd-tmpfiles-setup.service systemd-journal-flush.service systemd-random-seed.service kmod-static-nodes.service
	systemd-update-utmp.service systemd-update-utmp-runlevel.service systemd-user-sessions.service
	systemd-pstore.service systemd-remount-fs.service systemd-firstboot.service systemd-repart.service
	systemd-boot-system-token.service systemd-binfmt.service e2scrub_reap.service`

// bootUML boots the system's disk under user-mode Linux: a kernel and a systemd of their own, which need neither KVM
// nor an emulated processor. Its files lose with it what was not written to the disk.
func (s *system) bootUML(ctx context.Context) error {
	begun := time.Now()
	args := strings.Fields("root=/dev/ubda rw mem=512M con=null con0=null ssl0=fd:0,fd:1 console=ttyS0 quiet " +
		"systemd.show_status=false systemd.wants=console.service ubd0=" + s.disk)
	for unit := range strings.FieldsSeq(unwanted) {
		args = append(args, "systemd.mask="+unit)
	}
	e, err := start(ctx, "linux.uml", args...)
	if err != nil {
		return err
	}
	s.runs(e)
	if err := e.wait("CONSOLE"); err != nil && s.up() {
		return err
	} else if err != nil {
		return errEnded
	}
	s.booted = time.Since(begun)
	fmt.Fprintf(s.log, "system: up after %.0f s\n", s.booted.Seconds())
	return nil
}

// console runs a command of root's in the shell on the console, with the answers already typed. The code is 255 if the
// machine ended.
func (s *system) console(command, prompt string, answers []func(io.Writer)) said {
	s.commands++
	from, end := len(s.e.said()), fmt.Sprintf("ENDED %d ", s.commands)
	fmt.Fprintf(s.e.keys, "%d %s\n", s.commands, command)
	asks := func(line string) bool { return strings.Contains(line, prompt) }
	for _, answer := range answers { // what is typed before the question is dropped
		for late := s.e.deadline(hang); !slices.ContainsFunc(s.e.said()[from:], asks) && !late(); {
			time.Sleep(50 * time.Millisecond)
		}
		answer(s.e.keys)
	}
	err := s.e.wait(end)
	lines := s.e.said()[from:]
	if err != nil {
		return said{strings.Join(lines, "\n") + "\n" + err.Error(), 255}
	}
	code := 255
	for i, line := range lines {
		if before, after, found := strings.Cut(line, end); found {
			lines = append(lines[:i:i], before)
			code, _ = strconv.Atoi(after)
			break
		}
	}
	return said{strings.Join(lines, "\n"), code}
}

// inForce returns the index of the preset that is in force and nvpmodel's while no unit of ours is there; else -1.
func (s *system) inForce(ctx context.Context) (int, said) {
	got := s.ssh(ctx, "root", "cat /sys/devices/platform/gpu.0/tpc_pg_mask /var/lib/nvpmodel/status; cat "+stagedUnit)
	for i, p := range gated {
		if strings.HasPrefix(got.out, p.mask+"\npmode:"+p.id+"\n") && strings.Contains(got.out, "No such file") {
			return i, got
		}
	}
	return -1, got
}

// stageAndBoot is try n: it stages the preset that is not in force, and cuts the power that long after, if ever.
func (s *system) stageAndBoot(ctx context.Context, n int, yes bool, cut time.Duration) error {
	was, got := s.inForce(ctx)
	if was < 0 {
		s.check("a preset is in force, and nvpmodel's", got, -1)
		return ctx.Err()
	}
	wait := map[bool]string{true: "10m", false: "5s"}[yes]
	got = s.typed(ctx, "root", "jtune apply "+gated[1-was].name+" --reboot --keep-after "+wait, lastLine,
		[]func(io.Writer){types("yes\n")})
	if cut > 0 {
		power := time.AfterFunc(cut, s.powerFails)
		defer power.Stop()
	}
	fmt.Fprintf(s.log, "system: try %d: %s, a yes %v, power cut after %.1f s\n", n, gated[1-was].name, yes,
		cut.Seconds())
	kept, unsure := false, false
	for boots := 1; ; boots++ {
		if boots > mostBoots {
			s.check("the machine comes to rest", got, -1)
			return ctx.Err()
		}
		s.end(ctx)
		if err := s.boot(ctx); errors.Is(err, errEnded) {
			continue
		} else if err != nil {
			return err
		}
		is := -1
		for is < 0 && s.up() && ctx.Err() == nil {
			if is, got = s.inForce(ctx); is < 0 && yes && !kept {
				answer := s.ssh(ctx, "root", "jtune apply --keep")
				kept, unsure = answer.code == 0, unsure || answer.code == 255
			}
			time.Sleep(time.Second)
		}
		if is < 0 {
			continue
		}
		if want := map[bool]int{true: 1 - was, false: was}[kept]; is != want && !unsure || cut == 0 && yes != kept {
			s.check(fmt.Sprintf("try %d ends in %s, with a yes %v", n, gated[want].name, kept), got, -1)
		}
		s.checks++
		fmt.Fprintf(s.log, "system: try %d: %s after boot %d, kept %v\n", n, gated[is].name, boots, kept)
		return nil
	}
}

// unit has systemd run a job in its mode: in force while the unit is active, as before once it is stopped.
func (s *system) unit(ctx context.Context) {
	const now = `; jtune device | grep "^now"`
	s.check("the unit that run --systemd prints starts", s.ssh(ctx, "root", "jtune run stray --mode "+twoCores+
		" --minibatches 100000 --systemd train >/etc/systemd/system/train.service && systemctl daemon-reload && "+
		"systemctl start train && for i in $(seq 300); do jtune device | grep -q 'now *"+twoCores+"' && exit; "+
		"sleep 0.2; done; systemctl status train; exit 1"), 0)
	s.check("the job runs in its mode", s.ssh(ctx, "root", "for i in $(seq 100); do "+
		"pgrep -f 'sleep 7777' >/dev/null && echo runs && break; sleep 0.2; done"+now), 0, "runs\n", twoCores)
	s.check("it is stopped, and the board is as before", s.ssh(ctx, "root", "systemctl stop train; "+
		"systemctl is-failed train; pgrep -cf 'sleep 7777'"+now), 0, "inactive", "0\n", "12c/2.20C/1.30G/3.20M")
	s.check("the unit is removed", s.ssh(ctx, "root", "rm /etc/systemd/system/train.service; systemctl daemon-reload"),
		0)
}

// campaignOverReboots measures a list in which two presets need a reboot.
func (s *system) campaignOverReboots(ctx context.Context) error {
	const profile = "jtune profile stray --minibatches 3 --list list --reboot --out tried --keep-fan"
	s.ssh(ctx, "root", "printf 'MAXN\\nMODE_15W\\nMODE_30W\\n' >list")
	got := s.typed(ctx, "root", profile, lastLine, []func(io.Writer){types("yes\n")})
	s.check("a campaign measures what needs no reboot", said{got.out, 0}, 0, "tried: 1 mode recorded, 1 usable")
	for boots := 1; boots <= mostBoots; boots++ {
		s.end(ctx)
		if err := s.boot(ctx); errors.Is(err, errEnded) {
			continue
		} else if err != nil {
			return err
		}
		for s.up() && ctx.Err() == nil {
			if is, _ := s.inForce(ctx); is == 0 {
				s.check("each preset was measured in its own boot", s.ssh(ctx, "root",
					"grep -c ,ok, tried*/modes.csv; ls tried*/modes.csv; ls "+stagedUnit), 2, "tried/modes.csv:1\n",
					"tried.MODE_15W/modes.csv:1\n", "tried.MODE_30W/modes.csv:1\n")
				return nil
			}
			time.Sleep(time.Second)
		}
	}
	s.check("the campaign comes to rest", got, -1)
	return ctx.Err()
}
