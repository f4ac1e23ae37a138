package tegra

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// errPoweredDown: a part of the chip is off; its sensor has no value.
var errPoweredDown = errors.New("powered down")

// rail is one channel of a power monitor.
type rail struct {
	name   string
	millis [2]*source // mV and mA, whose product is µW
	power  *source    // or the power itself
	watt   float64    // units of power in one watt
}

// railGroup is every connected rail and the rule that makes the total.
type railGroup struct {
	rails []rail
	total []int // indexes of the rails that add up; nil: no total
}

// chip is one INA3221 or INA238 and its folder of values.
type chip struct{ address, dir string }

// chips finds the power monitors: on the I²C bus under their drivers, by
// device name, or among all hwmon devices; once each, ordered by address.
func (f *finder) chips() []chip {
	var out []chip
	known := map[string]bool{}
	add := func(address, dir string) {
		if !known[address] && !known[f.real(dir)] {
			known[address], known[f.real(dir)] = true, true
			out = append(out, chip{address, dir})
		}
	}
	bus := f.glob("/sys/bus/i2c/drivers/ina*/*-*")
	for _, dev := range f.glob("/sys/bus/i2c/devices/*-*") {
		if text, err := readText(f.fs, dev+"/name"); err == nil && strings.HasPrefix(text, "ina") {
			bus = append(bus, dev)
		}
	}
	for _, dev := range bus {
		for _, pattern := range []string{"/hwmon/hwmon*", "/iio:device*", "/iio_device"} {
			for _, dir := range f.glob(dev + pattern) {
				add(path.Base(dev), dir)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, dir := range f.glob("/sys/class/hwmon/hwmon*") {
		if text, err := readText(f.fs, dir+"/name"); err == nil && (text == "ina3221" || text == "ina238") {
			add(dir, dir)
		}
	}
	return out
}

func (f *finder) rails(b *Board, fam family) *railGroup {
	g := &railGroup{}
	chips := f.chips()
	if len(chips) == 0 {
		f.missing("power rails", "/sys/bus/i2c/drivers/ina3221", "no power monitor found")
	}
	for _, c := range chips {
		before := len(g.rails)
		for channel := range 3 {
			if r, ok := f.rail(c.dir, channel); ok {
				g.rails = append(g.rails, r)
			}
		}
		f.found("power rails", c.dir, strconv.Itoa(len(g.rails)-before)+" connected")
	}
	for _, r := range g.rails {
		b.Rails = append(b.Rails, r.name)
	}
	fam = fam.orOf(b.Rails)
	if b.TotalRule = fam.totalRule(b.Rails); b.TotalRule != "" {
		b.TotalCovers = fam.covers()
		g.total = g.indexes(fam.total)
	} else if len(fam.total) == 0 {
		f.missing("module power", "", "which rails make the total of this board is not known")
	} else {
		f.missing("module power", "", "the rails "+strings.Join(fam.total, ", ")+" are not all there")
	}
	return g
}

func (g *railGroup) indexes(names []string) []int {
	var out []int
	for _, name := range names {
		for i, r := range g.rails {
			if r.name == name {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// rail finds one channel (0–2) in either form of the driver. Channels of
// hwmon above the third are shunt voltages and their sum, never a rail.
func (f *finder) rail(dir string, channel int) (rail, bool) {
	i, n := strconv.Itoa(channel), strconv.Itoa(channel+1)
	src := func(file string) *source { return newSource(f.fs, dir+"/"+file) }
	if name, ok := f.label(dir + "/rail_name_" + i); ok {
		return rail{name: name, power: src("in_power" + i + "_input"), watt: 1e3}, true
	}
	if name, ok := f.label(dir + "/in" + n + "_label"); ok {
		return rail{name: name, millis: [2]*source{src("in" + n + "_input"), src("curr" + n + "_input")}}, true
	}
	if text, _ := readText(f.fs, dir+"/name"); text == "ina238" && channel == 0 {
		return rail{name: "VIN", power: src("power1_input"), watt: 1e6}, true
	}
	return rail{}, false
}

// label reads a rail's name; NC and an empty one are not connected.
func (f *finder) label(path string) (string, bool) {
	text, err := readText(f.fs, path)
	return text, err == nil && text != "" && text != "NC" && len(text) <= 64
}

// maxRailW bounds what is taken for a rail's power; the largest module draws 130 W.
const maxRailW = 1000

// read reads the rail's power into to, and voltage and current where they make it.
func (r *rail) read(to *RailReading) error {
	var volts, amperes Val[float64]
	var w float64
	if r.power != nil {
		v, err := r.power.int()
		if err != nil {
			return err
		}
		w = float64(v) / r.watt
	} else {
		mv, err := r.millis[0].int()
		if err != nil {
			return err
		}
		ma, err := r.millis[1].int()
		if err != nil {
			return err
		}
		volts, amperes = Some(float64(mv)/1e3), Some(float64(ma)/1e3)
		w = float64(mv) * float64(ma) / 1e6
	}
	if w < 0 || w > maxRailW {
		return fmt.Errorf("%.0f W is not a plausible power of a rail", w)
	}
	to.PowerW, to.Volts, to.Amperes = Some(w), volts, amperes
	return nil
}

func (g *railGroup) read(r *Reading, miss func(string, error)) {
	r.Rails = make([]RailReading, len(g.rails))
	for i := range g.rails {
		rail := &g.rails[i]
		r.Rails[i].Name = rail.name
		if err := rail.read(&r.Rails[i]); err != nil {
			miss("rail "+rail.name, err)
		}
	}
	if g.total == nil {
		return
	}
	sum := 0.0
	for _, i := range g.total {
		if !r.Rails[i].PowerW.OK {
			return
		}
		sum += r.Rails[i].PowerW.V
	}
	r.TotalW = Some(sum)
}

func (g *railGroup) close() {
	for _, r := range g.rails {
		for _, s := range []*source{r.millis[0], r.millis[1], r.power} {
			s.close()
		}
	}
}
