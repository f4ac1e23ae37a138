package tegratest

import (
	"maps"
	"slices"

	"jtune/tegra/boards"
)

// Board is a fake root with a name.
type Board struct{ boards.Facts }

// Boards lists every fake root, newest module first.
func Boards() (out []Board) {
	for _, f := range boards.All() {
		out = append(out, Board{f})
	}
	return out
}

// BoardNamed finds a fake root by name.
func BoardNamed(name string) (Board, bool) {
	all := Boards()
	i := slices.IndexFunc(all, func(b Board) bool { return b.Name == name })
	if i < 0 {
		return Board{}, false
	}
	return all[i], true
}

// New builds the board's root.
func (b *Board) New() *Tree { return New(b.Name) }

// New builds the root of a board by name.
func New(name string) *Tree {
	f := boards.Of(name)
	tr := newTree(f.Compatible, f.Model, f.Release)
	tr.cpus(f.CPU.Leaders, f.CPU.Clocks+" ", f.CPU.Low)
	tr.gpu(f.GPU.Class, f.GPU.Dir, f.GPU.Clocks+" ")
	if f.GPU.Device != "" {
		tr.gpuDevice(f.GPU.Device, f.GPU.Masks)
		if f.GPU.ByGovernor {
			delete(tr.Files, f.GPU.Device+"/enable_3d_scaling")
		}
	}
	if f.Memory.Rates != "" {
		tr.bpmp(f.Memory.Rates, f.Memory.Now)
	}
	for dir, channels := range f.Hwmon {
		tr.hwmon(dir, channels)
	}
	for dir, channels := range f.IIO {
		tr.iio(dir, channels)
	}
	tr.zones(f.Zones)
	if f.Trips != "" {
		tr.trips(f.Trips)
	}
	tr.Files[f.Conf.Path] = f.Conf.String()
	for name, value := range f.Files {
		tr.Set(name, value)
	}
	maps.Copy(tr.Files, f.Raw)
	maps.Copy(tr.Links, f.Links)
	return tr
}
