package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	// asleep is how long the machine sleeps.
	asleep = 30 * time.Second
	// oneCore is a mode of the fake board with one of two processors online.
	oneCore = "1c/0.73C/0.31G/2.13M"
)

// sleepOnTrial suspends the machine while a mode waits for an answer and a search runs. After waking, a clock differs
// from its setting, as if firmware had set it.
func (s *system) sleepOnTrial(ctx context.Context) {
	search := s.begin(ctx, "jtune --device virtual:agx-orin --seed 1 --speed 10 tune resnet --power-limit 25")
	const limit = "/run/board/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu/max_freq"
	s.check("awake with another clock, the mode is not kept", s.typed(ctx, "worker",
		"jtune apply "+oneCore+" --keep-after 10m", "keep this mode?", []func(io.Writer){func(w io.Writer) {
			s.suspend(ctx, "echo 1300500000 >"+limit)
			s.processors(ctx, "awake, one processor is still offline", 1)
			types("y\n")(w)
		}}), 1, "not kept", limit[len("/run/board"):])
	s.processors(ctx, "what was found is restored", 2)
	s.check("its clock too", s.ssh(ctx, "root", "jtune device; ls /run/jtune/found.json"), 2,
		"now            12c/2.20C/")
	s.check("awake, a search goes on to its end", <-search, 0)
}

// sleepWhileMeasuring suspends the machine while modes are measured through the guard. Its clock is a year back after
// waking.
func (s *system) sleepWhileMeasuring(ctx context.Context) {
	s.check("a job of the user's own", s.ssh(ctx, "worker", `cat >>.config/jtune/config.toml <<'END'

[workload.job]
title = "job"
batch = 16
samples = 1600
command = ["sh", "-c", "while sleep 0.1; do echo '{\"event\":\"minibatch\",\"time_ms\":100}'; done"]
END
`), 0)
	campaign := s.begin(ctx, "rm -rf slept; jtune lab profile job --sample 3 --minibatches 20 --out slept")
	s.check("modes are measured", s.ssh(ctx, "worker",
		"for i in $(seq 600); do [ $(wc -l <slept/modes.csv) -gt 1 ] && exit 0; sleep 0.5; done; exit 1"), 0)
	s.suspend(ctx, "date -s '1 year ago'")
	s.check("awake in another year, the campaign goes on to its end", <-campaign, 0)
	s.check("each mode is measured once", s.ssh(ctx, "worker",
		"cd slept && tail -n +2 modes.csv | cut -d, -f1-4 | sort -u | wc -l && grep -c ,ok, modes.csv"), 0, "3\n3\n")
	s.processors(ctx, "and the board is restored", 2)
	s.check("nothing waits to be restored", s.ssh(ctx, "root", "ls /run/jtune/found.json"), 2)
}

// begin starts a command as the worker.
func (s *system) begin(ctx context.Context, command string) (ended <-chan said) {
	end := make(chan said, 1)
	go func() { end <- s.ssh(ctx, "worker", command) }()
	return end
}

// suspend suspends the machine (ACPI S3) and wakes it with QEMU's power button. It works once per boot: QEMU ends the
// next suspend by itself. After waking, root runs a command.
func (s *system) suspend(ctx context.Context, wake string) {
	// The mounts belong to the first process: there, the board's files are mounted over /sys.
	command := fmt.Sprintf("setsid nsenter --target 1 --mount sh -c 'sleep 1; echo deep >/sys/power/mem_sleep && "+
		"until echo mem >/sys/power/state; do sleep 1; done; %s' >/run/woke 2>&1 </dev/null & true", wake)
	if got := s.ssh(ctx, "root", command); got.code != 0 {
		s.check("the machine gets the order to sleep", got, 0)
		return
	}
	err := s.becomes(ctx, "suspended")
	if err == nil {
		time.Sleep(asleep)
		_, err = monitor(s.monitor, "system_wakeup")
	}
	if err == nil {
		err = s.becomes(ctx, "running")
	}
	if err != nil {
		said := s.ssh(ctx, "root", "cat /run/woke; dmesg | grep -i 'PM:\\|freez\\|wake'; exit 1")
		s.check("the machine sleeps: "+err.Error(), said, 0)
		return
	}
	s.check("the machine slept and is awake", s.ssh(ctx, "root", "for i in $(seq 300); do "+
		"pgrep -f '[p]ower/state' >/dev/null || break; sleep 0.2; done; cat /run/woke; dmesg | grep PM:"), 0,
		"suspend exit")
}

// becomes waits until QEMU reports that the machine is suspended, or running.
func (s *system) becomes(ctx context.Context, state string) error {
	for late := s.e.deadline(hang); ; time.Sleep(time.Second) {
		answer, err := monitor(s.monitor, "info status")
		if err != nil || strings.Contains(answer, state) {
			return err
		}
		if ctx.Err() != nil || late() {
			return fmt.Errorf("the machine does not become %s: %s", state, answer)
		}
	}
}
