package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// longestRound is the time within which the Debian system's power is cut.
const longestRound = 20 * time.Second

// cutSystem cuts the Debian system's power during a campaign or a mode change, and boots it again. It returns the
// number of rounds.
func cutSystem(ctx context.Context, l *lab) (count int, findings []string, err error) {
	s, err := l.newSystem(ctx, "system-cuts")
	if err != nil {
		return 0, nil, err
	}
	draw := rand.New(rand.NewPCG(uint64(l.seed), 1))
	for err = s.boot(ctx); err == nil && count < l.systemCuts && ctx.Err() == nil; {
		if err = s.cutAndBoot(ctx, count, time.Duration(draw.Int64N(int64(longestRound)))); err == nil {
			count++
		}
	}
	if s.e != nil {
		s.e.cut()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return count, s.findings, err
}

// cutAndBoot is round n.
func (s *system) cutAndBoot(ctx context.Context, n int, after time.Duration) error {
	profile := fmt.Sprintf("jtune --device virtual:agx-orin --seed %d profile resnet --sample 60 "+
		"--minibatches 10 --resume --out cut%d --speed ", n, n)
	command := profile + "200"
	if n%2 == 1 {
		command = "while jtune apply " + twoCores + " --yes && jtune revert; do :; done"
	}
	begun, ended := make(chan struct{}), make(chan said, 1)
	go func() {
		ended <- s.run(ctx, "worker", "echo begun; "+command, false, "begun", []func(io.Writer){
			func(io.Writer) { close(begun) }})
	}()
	select {
	case <-begun:
	case got := <-ended:
		return fmt.Errorf("round %d did not begin: %s", n+1, got.out)
	}
	select {
	case <-time.After(after):
	case <-ctx.Done():
	}
	s.e.cut()
	got := <-ended
	done := strings.Count(got.out, "  ok  ")
	fmt.Fprintf(s.log, "system: cut %d, %.1f s after its start, %d modes said to be recorded, %d mode changes\n", n+1,
		after.Seconds(), done, strings.Count(got.out, "kept\n"))
	if err := s.boot(ctx); err != nil {
		return err
	}
	s.processors(ctx, "after a cut the knobs equal a fresh boot", 4)
	s.check("after a cut nothing waits to be restored", s.ssh(ctx, "root", "ls /run/jtune"), 2)
	if n%2 == 0 {
		s.check("after a cut no row is lost", s.ssh(ctx, "worker", fmt.Sprintf(
			"[ %d = 0 ] || [ $(tail -n +2 cut%d/modes.csv | wc -l) -ge %d ]", done, n, done)), 0)
		s.check("after a cut the campaign is finished", s.ssh(ctx, "worker", profile+"max"), 0)
		s.check("and has each mode once", s.ssh(ctx, "worker", fmt.Sprintf(
			"cd cut%d && tail -n +2 modes.csv | cut -d, -f1-4 | sort -u | wc -l && wc -l <modes.csv", n)), 0,
			"60\n61\n")
	}
	return ctx.Err()
}
