package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

const (
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
	if err = s.boot(ctx); err == nil {
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
	got = s.typed(ctx, "root", "jtune apply "+gated[1-was].name+" --reboot --keep-after "+wait, "type yes",
		[]func(io.Writer){types("yes\n")})
	if cut > 0 {
		power := time.AfterFunc(cut, s.powerFails)
		defer power.Stop()
	} else if !strings.Contains(got.out, "is staged") {
		s.check("a preset is staged", got, -1)
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
		if want := map[bool]int{true: 1 - was, false: was}[kept]; is != want && !unsure {
			s.check(fmt.Sprintf("try %d ends in %s, with a yes %v", n, gated[want].name, kept), got, -1)
		}
		s.checks++
		fmt.Fprintf(s.log, "system: try %d: %s after boot %d, kept %v\n", n, gated[is].name, boots, kept)
		return nil
	}
}

// campaignOverReboots measures a list in which two presets need a reboot.
func (s *system) campaignOverReboots(ctx context.Context) error {
	const profile = "jtune profile stray --minibatches 3 --list list --reboot --out tried --keep-fan --force"
	s.ssh(ctx, "root", "printf 'MAXN\\nMODE_15W\\nMODE_30W\\n' >list")
	got := s.typed(ctx, "root", profile, "type yes", []func(io.Writer){types("yes\n")})
	s.check("a campaign stages its presets", said{got.out, 0}, 0, "MODE_15W (id 1) is staged")
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
