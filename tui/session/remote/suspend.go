package remote

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"

	"jtune/internal/caller"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/task"
)

// Card is a network card; Wakes is whether the kernel lets it wake the board (its device/power/wakeup). That does not
// cover power supply, firmware and network.
type Card struct {
	Name  string          `json:"name"`
	MAC   string          `json:"mac"`
	Wakes tegra.Val[bool] `json:"wakes"`
}

const (
	sleepStates = "/sys/power/state"          // supported by the kernel: "freeze mem"
	cardFiles   = "/sys/class/net/*/address"  // the MAC of each card
	wakeupFile  = "device/power/wakeup"       // next to it: enabled, disabled; absent if it cannot wake
	noCard      = "00:00:00:00:00:00"         // loopback
	suspendVerb = "put this machine to sleep" // for errors
)

// Cards returns the network cards of the board.
func Cards(files tegra.FS) (list []Card) {
	found, err := files.Glob(cardFiles)
	if err != nil {
		return nil
	}
	for _, file := range found {
		mac, err := files.ReadFile(file)
		address := text.Plain(strings.TrimSpace(string(mac)))
		if err != nil || address == "" || address == noCard {
			continue
		}
		dir := path.Dir(file)
		c := Card{Name: text.Plain(path.Base(dir)), MAC: address}
		if state, err := files.ReadFile(path.Join(dir, wakeupFile)); err == nil {
			c.Wakes = tegra.Some(strings.TrimSpace(string(state)) == "enabled")
		}
		list = append(list, c)
	}
	return list
}

// MaySuspend returns why this board cannot be put to sleep now; nil if it can.
func MaySuspend(s *session.Session) error {
	if s.Virtual != nil {
		return fmt.Errorf("a virtual board does not sleep: %w", tegra.ErrUnsupported)
	}
	if s.Sysroot != "" && s.Sysroot != "/" {
		return usage.Sysroot.Errorf("%s %s is not this machine", usage.Sysroot, s.Sysroot).
			Advise("remove it to %s", suspendVerb)
	}
	if err := s.RefusesWrites(suspendVerb); err != nil {
		return err
	}
	if err := canSuspend(s.FS()); err != nil {
		return err
	}
	if held := task.CampaignsOf(s).Holding(); len(held) > 0 {
		return fmt.Errorf("process %d measures campaign %s: wait for its end, or stop it, to %s", held[0].PID,
			path.Base(held[0].Dir), suspendVerb)
	}
	if !caller.Root() {
		return session.NeedsRoot(fmt.Errorf("%w: only root may %s", tegra.ErrPermission, suspendVerb), "/")
	}
	return nil
}

// canSuspend returns an error if the kernel has no suspend to memory.
func canSuspend(files tegra.FS) error {
	states, err := files.ReadFile(sleepStates)
	if err != nil {
		return fmt.Errorf("%w: %s cannot be read: %w", tegra.ErrUnsupported, sleepStates, err)
	}
	for state := range strings.FieldsSeq(string(states)) {
		if state == "mem" {
			return nil
		}
	}
	return fmt.Errorf("%w: the kernel offers no suspend to memory (%s: %s)", tegra.ErrUnsupported, sleepStates,
		text.Clip(strings.TrimSpace(string(states))))
}

// Suspend puts this machine to sleep through systemd, which may stop processes that cannot survive it. UNVERIFIED on a
// Jetson. It returns when the machine is awake again, or as it falls asleep.
func Suspend(ctx context.Context, s *session.Session) error {
	if err := MaySuspend(s); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "systemctl", "suspend")
	caller.Privileged(cmd)
	said, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: no systemctl here to %s", tegra.ErrUnsupported, suspendVerb)
	case err != nil:
		return fmt.Errorf("systemctl suspend: %w: %s", err, text.Clip(text.OneLine(string(said))))
	}
	return nil
}
