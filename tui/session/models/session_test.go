package models

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/testhome"
	"jtune/internal/usage"
	"jtune/learn"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/session/config"
	"jtune/tui/session/sessiontest"
)

func TestModelsListsWhatIsThereAndWhatIsBroken(t *testing.T) {
	s := sessiontest.Fast(t)
	var rows []tegra.Measured
	for _, m := range s.Device.Space().Sample(12, 1) {
		ms, w, err := s.Virtual.Truth("resnet18", m)
		must.NoError(t, err)
		rows = append(rows, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: w})
	}
	m := must.Get(learn.Fit(t.Context(), rows, learn.Options{Space: s.Device.Space()}))(t)
	path := must.Get(Save(s, "good", m))(t)
	os.WriteFile(filepath.Join(filepath.Dir(path), "bad.model"), []byte("nonsense"), 0o644)
	list, err := List(s.Options)
	if err != nil || len(list) != 2 {
		t.Fatalf("got %d models, %v", len(list), err)
	}
	for _, info := range list {
		must.Equal(t, info.Err != nil, info.Name == "bad")
		must.Equal(t, info.Model == nil, info.Name == "bad")
	}
	for _, name := range []string{"", "a/b", "..", ".hidden"} {
		if _, err := Save(s, name, m); !usage.Is(err) {
			t.Errorf("name %q: got %v, want it refused", name, err)
		}
	}
}

// TestMain keeps the tests away from the user's own files and jobs.
func TestMain(m *testing.M) { os.Exit(testhome.Run(m.Run)) }

// The board was slower and warmer in the morning: the model of the pool follows the newest readings, and says so.
func TestPoolModelMovesOlderCampaignsWhereTheBoardHasDrifted(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	space := s.Device.Space()
	campaign := func(modes []tegra.Mode, time, power float64) PoolPart {
		var out PoolPart
		for _, m := range modes {
			out.Rows = append(out.Rows, record.Row{Status: record.OK, Measured: tegra.Measured{
				Setting: tegra.Setting{Mode: m},
				TimeMS:  time * 60 / m.GPU.GHz(),
				PowerW:  power * (8 + 10*m.GPU.GHz() + m.CPU.GHz()*float64(m.Cores)),
			}})
		}
		return out
	}
	modes := space.Sample(20, 1)
	fit := func(parts ...PoolPart) Learned {
		m, err := fitPool(Pool{Parts: parts, Batch: 16}, nil, "lstm", s.Device.Board(), space, nil, 0, time.Now())
		must.NoError(t, err)
		return m
	}
	now := fit(campaign(modes[:12], 1, 1), campaign(modes[10:], 1, 1))
	drifted := fit(campaign(modes[:12], 1.15, 1.08), campaign(modes[10:], 1, 1))
	must.Contain(t, strings.Join(drifted.Warnings, "\n"), "12 readings of 1 campaign")
	want := now.Predict(modes)
	for i, p := range drifted.Predict(modes) {
		if math.Abs(p.TimeMS/want[i].TimeMS-1) > 0.01 || math.Abs(p.PowerW/want[i].PowerW-1) > 0.01 {
			t.Errorf("%v: %v, want %v", modes[i], p.Measured, want[i].Measured)
		}
	}
	must.Equal(t, drifted.Provenance.Readings, 22)
}

// A process that was stopped holds the lock for ever: a process that waits for it says so and goes on.
func TestLockModelsGivesUpOnALockThatIsHeld(t *testing.T) {
	t.Cleanup(func(was time.Duration) func() { return func() { lockPatience = was } }(lockPatience))
	lockPatience = 200 * time.Millisecond
	o := config.Paths{DataDir: t.TempDir()}
	unlock := must.Get(lockModels(o))(t)
	must.Fail(t, must.Err(lockModels(o)), "another jtune has held")
	time.AfterFunc(50*time.Millisecond, unlock)
	lockPatience = 3 * time.Minute
	again := must.Get(lockModels(o))(t)
	again()
}

// A folder in the lock's place, and a data directory that is a file.
func TestLockModelsSaysWhatIsInItsWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.NoError(t, os.MkdirAll(filepath.Join(dir, "models", ".lock"), 0o755))
	must.Fail(t, must.Err(lockModels(config.Paths{DataDir: dir})), ".lock")
	file := filepath.Join(dir, "file")
	must.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := lockModels(config.Paths{DataDir: file})
	if errno := syscall.ENOTDIR; err == nil || !strings.Contains(err.Error(), errno.Error()) {
		t.Errorf("a file: %v", err)
	}
}
