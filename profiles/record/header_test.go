package record

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/tegra"
	"jtune/tegra/sweep/sweeptest"
	"jtune/tegra/virtual"
)

func TestHeaderCutAnywhereIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := must.Get(Create(dir, testHeader(t)))(t)
	r.Close()
	path := filepath.Join(dir, headerName)
	text := must.Read(t, path)
	for cut := range len(text) {
		os.WriteFile(path, text[:cut], 0o600)
		if _, _, err := Read(dir); err == nil || !strings.Contains(err.Error(), headerName) {
			t.Fatalf("cut at %d of %d: %v", cut, len(text), err)
		}
	}
}

func TestHeaderSurvivesAndRebuildsTheSpace(t *testing.T) {
	t.Parallel()
	full := deviceOf(t, virtual.Options{})
	part := deviceOf(t, virtual.Options{Replay: sweeptest.MadeUp(t)})
	odd := part.Space().Filter(mustFilter(t, part.Space(), "cores>2 gpu<900MHz"))
	for _, c := range []struct {
		name   string
		device tegra.Device
		space  *tegra.Space
	}{
		{"a whole board", full, full.Space()},
		{"a replay's grid", part, part.Space()},
		{"modes that are no grid", part, odd},
	} {
		h := headerOf(t, c.device, "yolo", 3, PlanHeader{Kind: "sample", Modes: 5})
		if c.space == odd {
			h.Device = DeviceHeader{}
			h.Device.SetSpace(odd)
		}
		dir := t.TempDir()
		r := must.Get(Create(dir, h))(t)
		r.Close()
		got, _, err := Read(dir)
		must.NoError(t, err)
		space, err := got.Device.Space()
		if err != nil || !slices.Equal(space.Modes(), c.space.Modes()) {
			t.Errorf("%s: the space came back with another %v modes, %v", c.name, space.Len(), err)
		}
		if got.Seed != 3 || got.Jtune != "test" || got.Workload.Workers != 0 || !reflect.DeepEqual(got.Plan, h.Plan) ||
			got.Device.Virtual != h.Device.Virtual ||
			got.Device.Replay != h.Device.Replay {
			t.Errorf("%s: header came back as %+v", c.name, got)
		}
		if s := got.Settings; s.Minibatches != 40 || s.SampleEvery != time.Second || s.SteadyGiveUp != 30*time.Second ||
			s.Discard != 1 {
			t.Errorf("%s: settings came back as %+v; want the defaults spelt out", c.name, s)
		}
		if err := got.checkResume(h); err != nil {
			t.Errorf("%s: cannot resume itself: %v", c.name, err)
		}
	}
}

func TestHeaderKeepsHowTheBoardWasFound(t *testing.T) {
	t.Parallel()
	device := deviceOf(t, virtual.Options{})
	now := must.Get(device.Read())(t)
	unknown := tegra.Preset{ID: 9, Name: "TOP", Mode: tegra.Mode{Cores: 4, CPU: tegra.GHz, GPU: tegra.GHz}}
	h := testHeader(t)
	h.Found = NewFoundHeader(append(device.Presets(), unknown), now.Setup())
	dir := t.TempDir()
	r := must.Get(Create(dir, h))(t)
	r.Close()
	got, _, err := Read(dir)
	must.NoError(t, err)
	presets, found := got.Found.Read()
	if found != now.Setup() || len(presets) != len(device.Presets()) {
		t.Errorf("%+v and %d presets, want %+v and %d", found, len(presets), now.Setup(), len(device.Presets()))
	}
	for i, p := range device.Presets() {
		if q := presets[i]; q.ID != p.ID || q.Name != p.Name || q.Mode != p.Mode || q.NeedsReboot != p.NeedsReboot {
			t.Errorf("preset %+v, want %+v", q, p)
		}
	}
	got.Found.Mode, got.Found.Presets[0] = "12,-1,0,x", PresetHeader{Name: "a\x1b[2J", Mode: got.Found.Presets[0].Mode}
	got.Found.Presets[1].Mode = "9"
	if some, found := got.Found.Read(); found.Mode.OK || len(some) != len(presets)-1 || some[0].Name == "a\x1b[2J" {
		t.Errorf("of a file from elsewhere: %+v, %+v", some, found)
	}
	if none, found := testHeader(t).Found.Read(); none != nil || found != (tegra.Setup{}) {
		t.Errorf("of an older folder: %+v, %+v", none, found)
	}
}

func mustFilter(t *testing.T, s *tegra.Space, text string) tegra.Filter {
	t.Helper()
	return must.Get(s.ParseFilter(text))(t)
}

func TestHeaderResumeWantsTheSameCampaign(t *testing.T) {
	t.Parallel()
	base := testHeader(t)
	dir := filepath.Join(t.TempDir(), "c")
	if r, err := OpenOrCreate(dir, base, true); err != nil {
		t.Fatalf("resuming what was never begun: %v", err)
	} else {
		r.Close()
	}
	if _, err := OpenOrCreate(dir, base, false); err == nil || !strings.Contains(err.Error(), "“resume” continues it") {
		t.Errorf("a campaign in the folder: %v", err)
	}
	for _, c := range []struct {
		name   string
		change func(*Header)
		want   string
	}{
		{"another seed", func(h *Header) { h.Seed = 8 }, "seed: 7 there, 8 here"},
		{"another workload", func(h *Header) { h.Workload.Name = "lstm" }, "workload: resnet18 there, lstm here"},
		{"another batch size", func(h *Header) { h.Workload.Batch = 32 }, "batch size"},
		{"another command", func(h *Header) { h.Workload.Command = []string{"x"} }, "other settings"},
		{"another selection", func(h *Header) { h.Plan = PlanHeader{Kind: "sample", Modes: 50} }, "selection: " +
			"kind grid, modes 4368 there, kind sample, modes 50 here"},
		{"another list", func(h *Header) { h.Plan.Digest = "ab" }, "selection"},
		{"another device", func(h *Header) { h.Device.Model = "Orin Nano" }, "device"},
		{"a replay in place of the board", func(h *Header) { h.Device.Replay = "x.csv" }, "replay of x.csv"},
		{"another release", func(h *Header) { h.Device.L4T = "99.1" }, "L4T"},
		{"other clocks", func(h *Header) { h.Device.GPUHz = h.Device.GPUHz[1:] }, "power modes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := base
			c.change(&h)
			_, err := OpenOrCreate(dir, h, true)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if r, err := OpenOrCreate(dir, base, true); err != nil {
		t.Errorf("the same campaign: %v", err)
	} else {
		r.Close()
	}
}

func TestHeaderBrokenIsAClearError(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"half of it":     "format = 1\n[device\n",
		"another format": "format = 9\n",
		"nothing":        "",
	} {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, headerName), []byte(text), 0o600)
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), headerName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	r := must.Get(Create(dir, testHeader(t)))(t)
	r.Close()
	os.WriteFile(filepath.Join(dir, modesName), []byte("a,b,c\n1,2,3\n"), 0o600)
	if _, err := open(dir); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("other columns: %v", err)
	}
}

// On a full disk a campaign does not begin: nothing is measured into a folder that cannot say what it is.
func TestCreateFailsWhereTheHeaderCannotBeWritten(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if err := syscall.Mount("none", disk, "tmpfs", 0, "size=16k,nr_inodes=64"); err != nil {
		t.Skip("no small disk to fill:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	if err := os.WriteFile(filepath.Join(disk, "full"), make([]byte, 1<<20), 0o644); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	r, err := Create(filepath.Join(disk, "c"), testHeader(t))
	if err == nil {
		r.Close()
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("%v; want that the disk is full, and what to do", err)
	}
	h := testHeader(t)
	h.Format = headerFormat
	if err := writeHeader(disk, h); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the header alone: %v", err)
	}
	if _, err := readHeader(filepath.Join(disk, "c")); err == nil {
		t.Error("a header is there")
	}
}
