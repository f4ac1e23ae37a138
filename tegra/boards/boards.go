// Package boards holds recorded facts of Jetson modules: names, lists of clocks, rails, zones and power modes. File
// trees for tests and the virtual boards are built from them.
//
//	boards.toml ──► Of("agx-xavier-32") ──► Facts ──► tegratest.Tree, virtual.Board
package boards

import (
	_ "embed"
	"sync"

	"github.com/BurntSushi/toml"
)

// Facts is the entry in boards.toml of a module with one software release.
type Facts struct {
	Name  string // "orin-nano-36"
	Title string // "" for facts shared by several boards
	L4T   string
	// Unverified describes the facts that no recording shows; "" for none.
	Unverified string

	Base                       []string
	Compatible, Model, Release string
	CPU                        struct {
		Leaders     []int  // per core: the first core of its policy
		Clocks, Low string // kHz; Low: the minimum in every power mode
	}
	GPU struct {
		Class, Dir, Clocks, Device string            // Hz
		Masks                      map[string]string // power-gate masks in force
		ByGovernor                 bool              // the governor does 3D scaling: there is no enable_3d_scaling
	}
	Memory            struct{ Rates, Now string } // kHz; the current rate in Hz
	Zones, Trips      string                      // sensors; trip points of each die
	Hwmon, IIO        map[string]string           // channels by folder
	Files, Raw, Links map[string]string
	Conf              Conf
}

//go:embed boards.toml
var boardsTOML string

// file is boards.toml; decoding is needed to decode parts of it later.
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

// take merges the base trees and then the tree's own values into f.
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

// Of returns the facts of a name; it panics if there are none.
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
