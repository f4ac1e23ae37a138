package tui

import (
	"testing"

	"jtune/tegra"
	"jtune/telemetry"
)

func TestRunSettingsCountForTheRunAndNotForTuning(t *testing.T) {
	d := drive(t)
	d.press("2", "c")
	d.sees("Settings of resnet18", "▸minibatch ‹ 16 samples ›", "workers     4 loader")
	d.press("right", "down", "left", "left", "left", "left", "left")
	d.sees("minibatch   32 samples", "workers   ‹ 0 loader", "waits for it")
	d.press("enter", "enter")
	if w := d.r.sh.job.workload; w.Batch != 32 || w.Workers != 0 {
		t.Errorf("runs with batch %d and %d workers, want 32 and 0", w.Batch, w.Workers)
	}
	if w := d.r.sh.workloads[0]; w.Batch != 16 || w.Workers != 4 {
		t.Errorf("tuning would take batch %d and %d workers, want the listed 16 and 4", w.Batch, w.Workers)
	}
	d.press("x")
}

func TestEscLeavesTheSettingsAsTheyWere(t *testing.T) {
	d := drive(t)
	d.press("2", "c", "right", "esc")
	if w, _ := d.r.pages[pageTrain].(*trainPage).chosen(); w.Batch != 16 {
		t.Errorf("batch %d after esc, want 16", w.Batch)
	}
}

func TestSettingsOfAReplayAreFixedAndSaySo(t *testing.T) {
	d := drive(t)
	d.r.sh.board.Replay = "sweep.csv"
	d.press("2", "c")
	d.sees("a replay holds one minibatch size")
}

func TestDiskAndCacheAreToldOrDashed(t *testing.T) {
	d := drive(t)
	d.press("1")
	d.sees("disk reads –")
	m := d.board.reading()
	m.disk = telemetry.DiskRates{ReadsPerS: tegra.Some(120.0), BytesPerS: tegra.Some(61.4e6)}
	d.send(m)
	d.sees("disk 120 reads/s, 61.4 MB/s")
}
