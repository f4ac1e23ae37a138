// Package boards holds what Jetson modules were recorded to show: names, lists of
// clocks, rails, zones and power modes. File trees for tests and the virtual boards are
// made of it.
//
//	boards.toml ──► Of("agx-xavier-32") ──► Facts ──► tegratest.Tree, virtual.Board
package boards

import (
	_ "embed"
	"sync"

	"github.com/BurntSushi/toml"
)

// Facts is what boards.toml holds of a module with one release of its software.
type Facts struct {
	Name  string // "orin-nano-36"
	Title string // "" for facts that boards share
	L4T   string
	// Unverified says which of the facts no recording shows; "" for none.
	Unverified string

	Base                       []string
	Compatible, Model, Release string
	CPU                        struct {
		Leaders     []int  // of each core: the first core of its policy
		Clocks, Low string // kHz; Low: the minimum of every power mode
	}
	GPU struct {
		Class, Dir, Clocks, Device string            // Hz
		Masks                      map[string]string // power-gate masks in force
		ByGovernor                 bool              // 3D scaling is its governor: there is no enable_3d_scaling
	}
	Memory            struct{ Rates, Now string } // kHz, and the present one in Hz
	Zones, Trips      string                      // sensors, and what each of a die has
	Hwmon, IIO        map[string]string           // channels by folder
	Files, Raw, Links map[string]string
	Conf              Conf
}

//go:embed boards.toml
var boardsTOML string

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
		panic("boards: " + err.Error())
	}
}

// take merges the bases of a tree and then its own values into f.
func (f *Facts) take(name string) {
	trees, meta := file()
	tree, ok := trees[name]
	if !ok {
		panic("boards: no facts of " + name)
	}
	var own struct{ Base []string }
	must(meta.PrimitiveDecode(tree, &own))
	for _, base := range own.Base {
		f.take(base)
	}
	must(meta.PrimitiveDecode(tree, f))
	f.Name = name
}

// Of returns the facts of a name; it panics when there are none.
func Of(name string) (f Facts) {
	decoding.Lock()
	defer decoding.Unlock()
	f.take(name)
	return f
}

// All returns the facts of every board, newest module first.
func All() (out []Facts) {
	_, meta := file()
	for _, key := range meta.Keys() {
		if len(key) != 2 {
			continue
		}
		if f := Of(key[1]); f.Title != "" {
			out = append(out, f)
		}
	}
	return out
}
