package tegra

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"jtune/internal/lazyregexp"
)

// family holds what a board does not report: which rails sum to the module power and in which order cores come online.
// Sources: Jetson module data sheets and design guides; NVIDIA's note that VIN_SYS_5V0 feeds VDDQ_VDD2_1V8AO.
type family struct {
	match string // part of one of the compatible strings; * stands for any text
	name  string
	total []string // rails that sum to the module power
	cores []int    // order in which cores come online; nil: ascending
	mostW float64  // the largest power budget of the module in its data sheet; 0 if unknown
}

// covers describes what the total power includes.
func (fam *family) covers() string {
	if len(fam.total) > 1 {
		return "whole module, without the carrier board"
	}
	return "module input"
}

// Rails that sum to the module power, and the TX2's core order (its A57 cores before its Denver cores).
var (
	input   = []string{"VDD_IN"}
	orin    = []string{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"}
	xavier  = []string{"GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V"}
	nano    = []string{"POM_5V_IN"}
	thor    = []string{"VIN"}
	denver2 = []int{0, 3, 4, 5, 1, 2}
)

// families lists modules before the SoC that they carry; the first match wins. A board of an unknown module is named
// after its SoC, and gets the total of the family whose rails it has.
var families = []family{
	{"p3740*p3701", "IGX Orin", orin, nil, 75},
	{"p3701-0008", "AGX Orin Industrial", orin, nil, 75},
	{"p3701", "AGX Orin", orin, nil, 60},
	{"p3767-0000*-super", "Orin NX 16GB Super", input, nil, 40},
	{"p3767-0000", "Orin NX 16GB", input, nil, 25},
	{"p3767-0001*-super", "Orin NX 8GB Super", input, nil, 40},
	{"p3767-0001", "Orin NX 8GB", input, nil, 20},
	{"p3767-0004*-super", "Orin Nano 4GB Super", input, nil, 25},
	{"p3767-0004", "Orin Nano 4GB", input, nil, 10},
	{"p3767*-super", "Orin Nano Super", input, nil, 25},
	{"p3767", "Orin Nano", input, nil, 15},
	{"tegra234", "Orin", nil, nil, 0},
	{"p3668", "Xavier NX", input, nil, 20},
	{"p2972", "AGX Xavier", xavier, nil, 30},
	{"p2888", "AGX Xavier", xavier, nil, 30},
	{"xavier", "AGX Xavier", xavier, nil, 30},
	{"tegra194", "Xavier", nil, nil, 0},
	{"p3636", "TX2 NX", input, denver2, 15},
	{"tegra186", "TX2", input, denver2, 15},
	{"p2371", "TX1", input, nil, 15},
	{"p2180", "TX1", input, nil, 15},
	{"p3448", "Nano", nano, nil, 10},
	{"p3450", "Nano", nano, nil, 10},
	{"jetson-nano", "Nano", nano, nil, 10},
	{"tegra210", "Tegra X1", nil, nil, 0},
	{"p3834-0000", "T4000", thor, nil, 70},
	{"p3834", "AGX Thor", thor, nil, 130},
	{"tegra264", "Thor", thor, nil, 0},
}

// jetpacks maps L4T releases to JetPack versions (NVIDIA's release archive). UNVERIFIED: 35.6.2, 35.6.3, 36.4.2, 38.2.1
// and 38.2.2, which are taken to belong to the version before them.
var jetpacks = map[string]string{
	"28.1": "3.1", "28.2": "3.2", "28.2.1": "3.3", "28.3": "3.3.1", "28.4": "3.3.3", "31.0.2": "4.1", "31.1": "4.1.1",
	"32.1": "4.2", "32.2": "4.2.1", "32.2.1": "4.2.2", "32.2.3": "4.2.3", "32.3.1": "4.3", "32.4.2": "4.4 DP",
	"32.4.3": "4.4", "32.4.4": "4.4.1", "32.5": "4.5", "32.5.1": "4.5.1", "32.5.2": "4.5.1", "32.6.1": "4.6",
	"32.7": "4.6", "34.1": "5.0 DP", "34.1.1": "5.0.1 DP",
	"35.1": "5.0.2", "35.2.1": "5.1", "35.3.1": "5.1.1", "35.4.1": "5.1.2", "35.5": "5.1.3", "35.6": "5.1.4",
	"35.6.1": "5.1.5", "35.6.2": "5.1.5", "35.6.3": "5.1.5", "35.6.4": "5.1.6",
	"36.2": "6.0 DP", "36.3": "6.0", "36.4": "6.1", "36.4.2": "6.1", "36.4.3": "6.2", "36.4.4": "6.2.1",
	"36.4.7": "6.2.1", "36.5": "6.2.2",
	"38.2": "7.0", "38.2.1": "7.0", "38.2.2": "7.0", "38.4": "7.1",
	"39.0": "7.2 EA", "39.2": "7.2", "39.2.1": "7.2.1",
}

var (
	modulePart = lazyregexp.New(`p(?:3448|2180|3310|3489|3636|3668|2888|3767|3701|3834)-[0-9]{4}`)
	socName    = lazyregexp.New(`tegra[0-9]{3}$`)
	release    = lazyregexp.New(`# R([0-9]+) \(release\), REVISION: ([0-9.]+)`)
)

// identify reads the device tree and the release file. The error wraps ErrNoDevice if the device tree names no Tegra
// SoC.
func identify(f *finder) (Board, family, error) {
	var b Board
	file, ok := f.first("device tree", "/proc/device-tree/compatible", "/sys/firmware/devicetree/base/compatible")
	if ok {
		data, err := f.fs.ReadFile(file)
		if err != nil {
			return b, family{}, fmt.Errorf("%s: %w", file, err)
		}
		b.Compatible = slices.DeleteFunc(strings.Split(string(data), "\x00"),
			func(s string) bool { return strings.TrimSpace(s) == "" })
	}
	for _, c := range b.Compatible {
		if soc := socName.FindString(strings.TrimSpace(c)); soc != "" && strings.HasPrefix(c, "nvidia,") {
			b.SoC = soc
		}
		if part := modulePart.FindAllString(c, -1); part != nil && b.Module == "" {
			b.Module = part[len(part)-1]
		}
	}
	if !ok {
		if b.SoC = hiddenSoC(f); b.SoC != "" {
			b.Compatible, b.Model = []string{b.SoC}, "NVIDIA Jetson, "+HiddenTree
		}
	}
	if b.SoC == "" && !ok && len(f.glob(treeLink)) > 0 {
		return b, family{}, fmt.Errorf("%w: %w", ErrHiddenTree, ErrNoDevice)
	}
	if b.SoC == "" {
		return b, family{}, fmt.Errorf("no NVIDIA Jetson here (device tree names no tegra chip): %w", ErrNoDevice)
	}
	fam := familyOf(b.Compatible)
	b.Name, b.MostW = fam.name, fam.mostW
	if path, ok := f.first("model", "/proc/device-tree/model", "/sys/firmware/devicetree/base/model"); ok {
		text, _ := readText(f.fs, path)
		b.Model = strings.TrimSpace(text)
	}
	if path, ok := f.first("L4T release", "/etc/nv_tegra_release"); ok {
		text, _ := readText(f.fs, path)
		b.L4T, b.JetPack = parseRelease(text)
	}
	return b, fam, nil
}

// HiddenTree marks the model of a Jetson that is known by other files than its device tree.
const HiddenTree = "its device tree is hidden"

// ErrHiddenTree says that this may be a Jetson: the link to its device tree leads nowhere.
var ErrHiddenTree = errors.New("the device tree is hidden, as in a container that is not privileged")

// treeLink leads to /sys/firmware, which Docker hides. A pattern finds a link that leads nowhere too.
const treeLink = "/proc/device-tre?"

// chips are the numbers of the chips (kernel, drivers/soc/tegra/fuse) in /sys/devices/soc0/soc_id.
var chips = map[string]string{"24": "tegra186", "25": "tegra194", "33": "tegra210", "35": "tegra234", "38": "tegra264"}

// anyTegra are files that only the kernels of Jetsons have, whichever chip it is.
var anyTegra = []string{emcCap36, emcCap35, bpmpEMC, nanoEMC, "/sys/class/hwmon/hwmon*/oc1_event_cnt"}

// hiddenSoC recognises a Jetson by other files: Docker hides the device tree with /sys/firmware. "" if it is none.
func hiddenSoC(f *finder) string {
	for _, name := range append(f.glob("/sys/class/devfreq/*"), f.glob("/sys/devices/platform/*.g*")...) {
		switch base := path.Base(name); {
		case base == "17000000.gpu", base == "17000000.ga10b":
			return "tegra234"
		case base == "17000000.gv11b":
			return "tegra194"
		case base == "17000000.gp10b":
			return "tegra186"
		case base == "57000000.gpu", base == "57000000.gm20b":
			return "tegra210"
		case base == "gpu-gpc-0":
			return "tegra264"
		}
	}
	if maker, _ := readText(f.fs, "/sys/devices/soc0/family"); strings.EqualFold(maker, "tegra") {
		id, _ := readText(f.fs, "/sys/devices/soc0/soc_id")
		return cmp.Or(chips[id], "tegra")
	}
	for _, pattern := range anyTegra {
		if len(f.glob(pattern)) > 0 {
			return "tegra"
		}
	}
	return ""
}

func familyOf(compatible []string) family {
	for _, fam := range families {
		for _, c := range compatible {
			if fam.is(c) {
				return fam
			}
		}
	}
	return family{name: "Jetson"}
}

// is reports whether a compatible string belongs to the family.
func (fam family) is(compatible string) bool {
	for part := range strings.SplitSeq(fam.match, "*") {
		_, rest, ok := strings.Cut(compatible, part)
		if !ok {
			return false
		}
		compatible = rest
	}
	return true
}

// parseRelease reads the first line of /etc/nv_tegra_release.
func parseRelease(text string) (l4t, jetpack string) {
	m := release.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	l4t = m[1] + "." + strings.TrimSuffix(m[2], ".0")
	for _, key := range []string{l4t, strings.TrimSuffix(l4t, ".0")} {
		if jp, ok := jetpacks[key]; ok {
			return l4t, jp
		}
	}
	if m[1] == "32" && strings.HasPrefix(m[2], "7.") {
		return l4t, "4.6." + strings.TrimPrefix(m[2], "7.")
	}
	return l4t, jetpackMajors[m[1]]
}

// jetpackMajors gives the major version for releases missing from jetpacks.
var jetpackMajors = map[string]string{"32": "4", "34": "5", "35": "5", "36": "6", "38": "7", "39": "7"}

// named returns the rails of the family's total as the board spells them, in capitals or not; nil if one is missing or
// the family has no total.
func (fam family) named(rails []string) (names []string) {
	for _, name := range fam.total {
		i := slices.IndexFunc(rails, func(r string) bool { return strings.EqualFold(r, name) })
		if i < 0 {
			return nil
		}
		names = append(names, rails[i])
	}
	return names
}

// ruleOf returns the rule for a total of these rails; "" without any.
func ruleOf(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return "SUM:" + strings.Join(names, ",")
}

// orOf returns fam; without a total of its own, it gets that of the first family whose rails are all in rails.
func (fam family) orOf(rails []string) family {
	if len(fam.total) > 0 {
		return fam
	}
	for _, other := range families {
		if other.named(rails) != nil {
			fam.total = other.total
			return fam
		}
	}
	return fam
}

// TotalRuleOf returns the total-power rule of a board known only by its rail names, such as those of a tegrastats line;
// "" if they match no known total. A sum lists its rails in the given order.
func TotalRuleOf(rails []string) string {
	for _, fam := range families {
		if names := fam.named(rails); names != nil {
			slices.SortFunc(names, func(a, b string) int { return slices.Index(rails, a) - slices.Index(rails, b) })
			return ruleOf(names)
		}
	}
	return ""
}
