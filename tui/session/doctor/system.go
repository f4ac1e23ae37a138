package doctor

import (
	"fmt"

	"jtune/profiles"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session"
)

// System returns what monitors a run of a workload besides the readings of the device: the kernel's counters, the disk
// and the page cache of its data. A virtual board provides these for a job that it simulates; a job that really runs
// has its data on this machine.
func System(s *session.Session, w workload.Workload) profiles.System {
	out := profiles.System{FS: s.FS(), Facts: softwareOf(s.Device.Board())}
	if s.Sysfs() != nil {
		out.Clocks = s.Sysfs().ClockTimes
	}
	if s.Simulated(w) {
		if s.Replays() {
			out.DataWhy, out.NoLoads = "not in the replayed file", true
		} else {
			out.Disk = telemetry.NewDisk(s.FS())
		}
		return out
	}
	machine := s.FS()
	if s.Virtual != nil || s.Sysroot != "/" {
		machine = tegra.DiskFS("/") // the machine that runs the job
	}
	out.Disk, out.NoLoads = telemetry.NewDisk(machine), s.RunsOnHost(w)
	dir := w.Torch.DataFolder()
	switch {
	case dir == "" && w.Torch.Data != "":
		out.DataWhy = "synthetic data are not in a file"
	case dir == "":
		out.DataWhy = "the workload names no data folder"
	default:
		var err error
		if out.Data, err = telemetry.ListDataset(dir); err != nil {
			out.DataWhy = err.Error()
		}
		if name, err := telemetry.DiskOf(dir); err == nil {
			out.Disk = telemetry.NewDiskNamed(machine, name)
		}
	}
	return out
}

// softwareOf lists the board's software releases that affect results.
func softwareOf(b tegra.Board) []string {
	var out []string
	for _, f := range []struct{ name, version string }{{"L4T", b.L4T}, {"JetPack", b.JetPack}} {
		if f.version != "" {
			out = append(out, fmt.Sprintf("%s %s", f.name, f.version))
		}
	}
	return out
}
