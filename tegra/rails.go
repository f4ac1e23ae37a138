package tegra

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"
)

// errPoweredDown: a part of the chip is off, so its sensor has no value.
var errPoweredDown = errors.New("powered down")

// rail is one channel of a power monitor.
type rail struct {
	name   string
	millis [2]*source // mV and mA; power is their product unless the driver reports it
	power  *source    // power as reported; nil: the driver does not report it
	watt   float64    // units of the power file in one watt
	whole  bool       // the reported power is the product in whole units (isProduct), so it need not be read too
	limits CurrentLimits
	alarms map[string]*source // by signal: 1 if the current exceeds that limit; none without the limit
	stepA  float64            // resolution of the current in amperes; 0: unknown
}

// railGroup holds every connected rail and the rails of the total.
type railGroup struct {
	rails []rail
	total []int // indices of the rails to sum; nil: no total
}

// chips finds the INA3221 and INA238 on the I²C bus under their drivers, by device name, or among all hwmon devices:
// the folders of their values, each once, ordered by address.
func (f *finder) chips() []string {
	var out []string
	known := map[string]bool{}
	add := func(address, dir string) {
		if !known[address] && !known[f.real(dir)] {
			known[address], known[f.real(dir)] = true, true
			out = append(out, dir)
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
	for _, dir := range chips {
		if w := f.window(dir); w > 0 && (b.PowerWindow == 0 || w < b.PowerWindow) {
			b.PowerWindow = w
		}
		before := len(g.rails)
		for channel := range 3 {
			if r, ok := f.rail(dir, channel); ok {
				g.rails = append(g.rails, r)
			}
		}
		f.found("power rails", dir, strconv.Itoa(len(g.rails)-before)+" connected")
	}
	for _, r := range g.rails {
		b.Rails = append(b.Rails, r.name)
	}
	fam = fam.orOf(b.Rails)
	if names := fam.named(b.Rails); names != nil {
		b.TotalRule, b.TotalCovers = ruleOf(names), fam.covers()
		g.total = g.indexes(names)
	} else if len(fam.total) == 0 {
		f.missing("module power", "", "which rails make the total of this board is not known")
	} else {
		f.missing("module power", "", "the rails "+strings.Join(fam.total, ", ")+" are not all there")
	}
	return g
}

// window returns the time over which a chip averages its channels: the update_interval of hwmon in ms, which the
// driver of the INA3221 calculates from the number of samples and the conversion times; 0 without it.
func (f *finder) window(dir string) time.Duration {
	ms := f.positive(dir + "/update_interval")
	if ms > mostWindowMS {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// mostWindowMS is the longest time that an INA3221 averages over: 1,024 samples of three channels, each with two
// conversions of 8.244 ms.
const mostWindowMS = 1024 * 3 * 2 * 8244 / 1000

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

// rail finds one channel (0–2) in either layout of the driver. hwmon channels above the third are shunt voltages and
// their sum, never a rail.
func (f *finder) rail(dir string, channel int) (rail, bool) {
	i, n := strconv.Itoa(channel), strconv.Itoa(channel+1)
	src := func(file string) *source { return newSource(f.fs, dir+"/"+file) }
	both := func(volts, amperes string) [2]*source {
		if !f.exists(dir+"/"+volts) || !f.exists(dir+"/"+amperes) {
			return [2]*source{}
		}
		return [2]*source{src(volts), src(amperes)}
	}
	if name, ok := f.label(dir + "/rail_name_" + i); ok {
		millis := both("in_voltage"+i+"_input", "in_current"+i+"_input")
		r := rail{name: name, millis: millis, power: src("in_power" + i + "_input"), watt: 1e3,
			limits: CurrentLimits{
				Max: f.current(dir + "/warn_current_limit_" + i), Crit: f.current(dir + "/crit_current_limit_" + i),
			}}
		r.whole = r.isProduct()
		return r, true
	}
	limits := CurrentLimits{Max: f.current(dir + "/curr" + n + "_max"), Crit: f.current(dir + "/curr" + n + "_crit")}
	if name, ok := f.label(dir + "/in" + n + "_label"); ok {
		r := rail{name: name, millis: [2]*source{src("in" + n + "_input"), src("curr" + n + "_input")}, limits: limits}
		if micro := f.positive(dir + "/shunt" + n + "_resistor"); micro > 0 {
			r.stepA = shuntStepMicroV / micro
		}
		r.alarms = map[string]*source{}
		for kind, signal := range map[string]string{"max": AverageCurrent, "crit": InstantCurrent} {
			limit := map[string]Val[float64]{"max": limits.Max, "crit": limits.Crit}[kind]
			if file := "curr" + n + "_" + kind + "_alarm"; limit.OK && f.exists(dir+"/"+file) {
				r.alarms[signal] = src(file)
			}
		}
		return r, true
	}
	if text, _ := readText(f.fs, dir+"/name"); text == "ina238" && channel == 0 { // its in0 is the shunt voltage
		return rail{name: "VIN", millis: both("in1_input", "curr1_input"), power: src("power1_input"), watt: 1e6,
			limits: limits}, true
	}
	return rail{}, false
}

// label reads a rail's name; NC or an empty name means not connected.
func (f *finder) label(path string) (string, bool) {
	text, err := readText(f.fs, path)
	return text, err == nil && text != "" && text != "NC" && len(text) <= 64
}

// shuntStepMicroV is the step of the INA3221's shunt voltage in microvolts (data sheet, section 8.6.2.2).
const shuntStepMicroV = 40

// positive reads a number above zero; 0 without it.
func (f *finder) positive(path string) float64 {
	text, _ := readText(f.fs, path)
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return 0
	}
	return float64(v)
}

// unlimitedMilliA is the full scale of the limit registers (163.8 mV over 5 mΩ), which boards without a limit hold.
const unlimitedMilliA = 32760

// current reads a limit in mA (L4T 32 appends the unit); absent if the board sets none.
func (f *finder) current(path string) Val[float64] {
	text, err := readText(f.fs, path)
	if err != nil {
		return Val[float64]{}
	}
	v, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "ma")), 10, 64)
	if err != nil || v <= 0 || v >= unlimitedMilliA {
		return Val[float64]{}
	}
	return Some(float64(v) / 1e3)
}

// Bounds for a rail's power and voltage: the largest module draws 130 W, and no carrier feeds a module more than 60 V.
// An idle rail may read less than nothing by the offset of its monitor, -0.4 W on the GPU of an AGX Thor.
const (
	leastRailW = -2
	maxRailW   = 1000
	maxRailV   = 100
)

// read reads the rail's power, voltage and current. It fails only without power: a driver that reports power need not
// report the others.
func (r *rail) read(to *RailReading) error {
	w, err := r.readMillis(to)
	switch {
	case err == nil && r.power == nil:
	case err == nil && r.whole:
		w = math.Round(w*r.watt) / r.watt
	case r.power == nil:
		return err
	default:
		v, err := r.power.int()
		if err != nil {
			return err
		}
		w = float64(v) / r.watt
	}
	if w < leastRailW || w > maxRailW {
		to.Volts, to.Amperes = Val[float64]{}, Val[float64]{}
		return fmt.Errorf("%.3g W is not a plausible power of a rail", w)
	}
	to.PowerW = Some(w)
	return nil
}

// isProduct reports whether the reported power is the product of voltage and current, whose whole milliamperes some
// drivers round from a finer power (19 mW on a TX1's 19 V).
func (r *rail) isProduct() bool {
	w, err := r.readMillis(&RailReading{})
	reported, powerErr := r.power.int()
	return err == nil && powerErr == nil && math.Round(w*r.watt) == float64(reported)
}

// errNoMillis: the driver reports no voltage and current for a rail.
var errNoMillis = errors.New("no voltage and current")

// readMillis reads voltage and current and returns their product in watts.
func (r *rail) readMillis(to *RailReading) (w float64, err error) {
	if r.millis[0] == nil {
		return 0, errNoMillis
	}
	mv, err := r.millis[0].within(maxRailV*1000, " mV is not a rail's voltage")
	if err != nil {
		return 0, err
	}
	ma, err := r.millis[1].int()
	if err != nil {
		return 0, err
	}
	to.Volts, to.Amperes = Some(float64(mv)/1e3), Some(float64(ma)/1e3)
	return float64(mv) * float64(ma) / 1e6, nil
}

func (g *railGroup) read(r *Reading, miss func(string, error)) {
	r.Rails = make([]RailReading, len(g.rails))
	for i := range g.rails {
		rail := &g.rails[i]
		r.Rails[i].Name, r.Rails[i].Limits = rail.name, rail.limits
		if err := rail.read(&r.Rails[i]); err != nil {
			miss("rail "+rail.name, err)
		}
	}
	if g.total == nil {
		return
	}
	sum, step := 0.0, 0.0
	for _, i := range g.total {
		if !r.Rails[i].PowerW.OK {
			return
		}
		sum += r.Rails[i].PowerW.V
		step = max(step, g.rails[i].stepA*r.Rails[i].Volts.V)
	}
	r.TotalW, r.StepW = Some(sum), step
}

// alarms reads the alarms of the rails that have a limit.
func (g *railGroup) alarms(miss func(string, error)) (out []Alarm) {
	for _, r := range g.rails {
		for _, signal := range []string{AverageCurrent, InstantCurrent} {
			source := r.alarms[signal]
			if source == nil {
				continue
			}
			a := Alarm{Rail: r.name, Signal: signal}
			var err error
			if a.On, err = source.flag(); err != nil {
				miss(a.String(), err)
				continue
			}
			out = append(out, a)
		}
	}
	return out
}

func (g *railGroup) close() {
	for _, r := range g.rails {
		for _, s := range []*source{r.millis[0], r.millis[1], r.power, r.alarms[AverageCurrent],
			r.alarms[InstantCurrent]} {
			s.close()
		}
	}
}
