package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"

	"jtune/internal/safefile"
	"jtune/profiles/record"
	"jtune/profiles/workload"
)

// Board identifies the session's board in the same way as Campaign.Board.
func (s *Session) Board() string { return BoardIdentity(s.DeviceHeader()) }

func (s *Session) DeviceHeader() record.DeviceHeader {
	d := record.NewDeviceHeader(s.Device)
	d.Which = s.Which
	if path, ok := strings.CutPrefix(s.Options.Device, "replay:"); ok {
		d.Path, _ = filepath.Abs(path)
	}
	return d
}

func BoardIdentity(d record.DeviceHeader) string {
	switch {
	case d.Replay != "":
		return "replay " + cmp.Or(d.Which, d.Replay)
	case d.Virtual:
		return "virtual " + d.Which
	}
	return strings.Join([]string{cmp.Or(d.Module, d.Name), "L4T " + d.L4T, d.Which}, ", ")
}

// HostName returns this machine's name, followed by the root of the device's files unless that is /.
func HostName(sysroot string) string {
	name, _ := os.Hostname()
	if sysroot != "/" {
		name += ":" + sysroot
	}
	return cmp.Or(name, "unknown host")
}

// contentHash identifies a sweep file, or the table of a campaign folder, by its content; "" if it cannot be read.
func contentHash(path string) string {
	if dir, ok := record.CampaignDir(path); ok {
		path = filepath.Join(dir, "modes.csv")
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, safefile.Most(f, safefile.MostBytes)); err != nil {
		return ""
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)[:8])
}

// VirtualName returns the name of a virtual board that folders of older versions refer to.
func VirtualName(board string) string {
	if board == "AGX Orin" {
		return DefaultVirtual
	}
	return strings.ToLower(strings.ReplaceAll(board, " ", "-"))
}

// Simulated reports whether a virtual board answers for a workload's minibatches: no job runs.
func (s *Session) Simulated(w workload.Workload) bool { return s.Virtual != nil && !w.Beside() }

// RunsOnHost reports whether the workload really runs here while the board is virtual.
func (s *Session) RunsOnHost(w workload.Workload) bool { return s.Virtual != nil && w.Beside() }

func (s *Session) Replays() bool { return s.Device.Board().Replay != "" }
