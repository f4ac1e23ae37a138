package tegratest

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/BurntSushi/toml"
)

// Board is a fake root that can be found by name.
type Board struct {
	Name  string // "orin-nano-36"
	Title string
	L4T   string
	// Unverified says which of its facts no recording shows; "" for none.
	Unverified string
}

//go:embed boards.toml
var boardsTOML string

// facts is what boards.toml holds of a tree.
type facts struct {
	Board
	Base                       []string
	Compatible, Model, Release string
	CPU                        struct {
		Leaders     []int // of each core: the first core of its policy
		Clocks, Low string
	}
	GPU struct {
		Class, Dir, Clocks, Device string
		Masks                      map[string]string // power-gate masks in force
	}
	Memory            struct{ Rates, Now string } // kHz, and the present one in Hz
	Zones, Trips      string                      // sensors, and what each of a die has
	Hwmon, IIO        map[string]string           // channels by folder
	Files, Raw, Links map[string]string
	Conf              conf
}

// file is boards.toml; decoding a part of it needs decoding.
var (
	file = sync.OnceValues(func() (trees map[string]toml.Primitive, meta toml.MetaData) {
		var f struct{ Tree map[string]toml.Primitive }
		meta, err := toml.Decode(boardsTOML, &f)
		must(err)
		return f.Tree, meta
	})
	decoding sync.Mutex
)

func must(err error) {
	if err != nil {
		panic("tegratest: " + err.Error())
	}
}

// take merges the bases of a tree and then its own values into f.
func (f *facts) take(name string) {
	trees, meta := file()
	tree, ok := trees[name]
	if !ok {
		panic("tegratest: no tree " + name)
	}
	var own struct{ Base []string }
	must(meta.PrimitiveDecode(tree, &own))
	for _, base := range own.Base {
		f.take(base)
	}
	must(meta.PrimitiveDecode(tree, f))
	f.Name = name
}

// factsOf are the facts of a tree, its bases included.
func factsOf(name string) (f facts) {
	decoding.Lock()
	defer decoding.Unlock()
	f.take(name)
	return f
}

// Boards lists every fake root, newest module first.
func Boards() (out []Board) {
	_, meta := file()
	for _, key := range meta.Keys() {
		if len(key) != 2 {
			continue
		}
		if f := factsOf(key[1]); f.Title != "" {
			out = append(out, f.Board)
		}
	}
	return out
}

// BoardNamed finds a fake root.
func BoardNamed(name string) (Board, bool) {
	all := Boards()
	i := slices.IndexFunc(all, func(b Board) bool { return b.Name == name })
	if i < 0 {
		return Board{}, false
	}
	return all[i], true
}

// New builds the board's root.
func (b Board) New() *Tree { return New(b.Name) }

// New builds the root of the board of a name.
func New(name string) *Tree {
	f := factsOf(name)
	tr := newTree(f.Compatible, f.Model, f.Release)
	tr.cpus(f.CPU.Leaders, f.CPU.Clocks+" ", f.CPU.Low)
	tr.gpu(f.GPU.Class, f.GPU.Dir, f.GPU.Clocks+" ")
	if f.GPU.Device != "" {
		tr.gpuDevice(f.GPU.Device, f.GPU.Masks)
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
