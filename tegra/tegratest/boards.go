package tegratest

import "slices"

// Board is a fake root that can be asked for by name.
type Board struct {
	Name  string // "orin-nano-36"
	Title string
	L4T   string
	// Unverified says which of its facts no recording shows; "" for none.
	Unverified string
	New        func() *Tree
}

// Boards lists every fake root, newest module first.
func Boards() []Board {
	const gcid = "GCID of the release text"
	return []Board{
		{"agx-thor-38", "AGX Thor", "38.4", "compatible string, clusters, clocks between the ends of the lists, nvpmodel parameters, memory control", NewThor38},
		{"agx-orin-36", "AGX Orin 64GB", "36.4", "bandwidth manager's halt file", NewAGXOrin36},
		{"agx-orin-35", "AGX Orin 64GB", "35.3.1", gcid, NewAGXOrin353},
		{"agx-orin-35.1", "AGX Orin 64GB", "35.1", gcid, NewAGXOrin35},
		{"orin-nx-super-36", "Orin NX 16GB Super", "36.4.3", "last three GPU clocks (derived), rail values (Orin Nano's)", NewOrinNXSuper36},
		{"orin-nx-36", "Orin NX 16GB", "36.4", "rail values (Orin Nano's)", NewOrinNX36},
		{"orin-nano-36", "Orin Nano 8GB Super", "36.4.3", "", NewOrinNano36},
		{"orin-nano-36-odd", "Orin Nano 8GB in MAXN_SUPER without Super tables", "36.4.4", "clock of its 7W mode's GPU", NewOrinNano364},
		{"orin-nano-35", "Orin Nano 8GB", "35.3.1", gcid, NewOrinNano35},
		{"agx-xavier-35", "AGX Xavier", "35.3.1", "rail labels and values, file of the memory's load", NewXavier35},
		{"agx-xavier-32", "AGX Xavier", "32.7.3", "order of the zones, form of the list of rates", NewXavier32},
		{"xavier-nx-35", "Xavier NX", "35.3.1", "memory rates between the ends, rail values", NewXavierNX35},
		{"xavier-nx-32", "Xavier NX", "32.7.3", "memory rates between the ends", NewXavierNX32},
		{"tx2-32", "TX2", "32.4.3", "", NewTX2},
		{"nano-32", "Nano", "32.7.1", "memory rates between the ends (no list is known)", NewNano32},
	}
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
