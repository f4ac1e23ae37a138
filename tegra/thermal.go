package tegra

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

// zone is one thermal sensor and the lowest trip point that slows or stops the module.
type zone struct {
	name string
	temp *source
	trip Val[Trip]
}

// cooler is a cooling device: its state, 0 while it does nothing, and its type.
type cooler struct {
	*source
	kind string
}

// fanGroup is the fan's duty cycle, 0–255.
type fanGroup struct {
	pwm     *source
	tach    *source // speed file; nil: none
	enable  *source // 0 while the fan has no power, whatever its duty cycle; nil: no such file
	control string  // file that takes the fan from the kernel's table, or powers it; "" if none
	auto    string  // content of control while the system steers the fan; "": as found
	manual  string
}

// The kernel counts m°C; the drivers of some carriers count whole degrees. A number in the range of those, 0.01 to
// 0.2 °C otherwise, is one unless another zone is near freezing too.
const (
	leastWholeC = 10
	mostWholeC  = 200
	warmMilliC  = 10_000
)

// offMilliC is the reading of a sensor whose part is off, up to L4T 35.
const offMilliC = -256000

func (f *finder) zones() []zone {
	dirs := f.glob("/sys/class/thermal/thermal_zone*")
	if len(dirs) == 0 {
		dirs = f.glob("/sys/devices/virtual/thermal/thermal_zone*")
	}
	var out []zone
	for _, dir := range dirs {
		if name, err := readText(f.fs, dir+"/type"); err == nil && name != "" && len(name) <= 64 {
			out = append(out, zone{name, newSource(f.fs, dir+"/temp"), f.trip(dir)})
		}
	}
	if len(out) == 0 {
		f.missing("temperatures", "/sys/class/thermal", "no thermal zones")
	} else {
		f.found("temperatures", dirs[0], strconv.Itoa(len(out))+" zones")
	}
	return out
}

// Trip points in m°C that are not real: disabled ones read 0, -273 °C or the largest 32-bit number.
const (
	lowestTripMilliC  = 30_000
	highestTripMilliC = 200_000
)

// trip returns the lowest passive, hot or critical trip point of a zone, at which the kernel slows the module, warns or
// powers off (kernel, Documentation/driver-api/thermal/sysfs-api.rst). Active trip points only drive the fan.
// UNVERIFIED on a Jetson: which trip points its zones have.
func (f *finder) trip(dir string) (lowest Val[Trip]) {
	for _, path := range f.glob(dir + "/trip_point_*_type") {
		kind, err := readText(f.fs, path)
		if err != nil || kind != "passive" && kind != "hot" && kind != "critical" {
			continue
		}
		text, err := readText(f.fs, strings.TrimSuffix(path, "type")+"temp")
		at, convErr := strconv.Atoi(text)
		if at <= mostWholeC {
			at *= 1000
		}
		if err != nil || convErr != nil || at < lowestTripMilliC || at > highestTripMilliC {
			continue
		}
		if c := float64(at) / 1000; !lowest.OK || c < lowest.V.C {
			lowest = Some(Trip{kind, c})
		}
	}
	return lowest
}

// readZones splits sensors into those that answer and those that are off, and omits dummies.
func readZones(zones []zone, r *Reading, miss func(string, error)) {
	values, errs := make([]int64, len(zones)), make([]error, len(zones))
	cold := false
	for i, z := range zones {
		values[i], errs[i] = z.temp.int()
		size := max(values[i], -values[i])
		cold = cold || size > mostWholeC && size < warmMilliC
	}
	for i, z := range zones {
		v, err := values[i], errs[i]
		if !cold && v >= leastWholeC && v <= mostWholeC {
			v *= 1000
		}
		if err == nil && v != offMilliC && (v < -60_000 || v > 200_000) {
			err = fmt.Errorf("%s: %d m°C is not a temperature", z.temp.path, v)
		}
		switch {
		case err != nil:
			r.TempsOff = append(r.TempsOff, z.name)
			if !errors.Is(err, syscall.EAGAIN) { // EAGAIN since L4T 36: the part is off
				miss("temperature "+z.name, err)
			}
		case v == offMilliC:
			r.TempsOff = append(r.TempsOff, z.name)
		default:
			if t := (TempReading{z.name, float64(v) / 1000, z.trip}); !t.Dummy() {
				r.Temps = append(r.Temps, t)
			}
		}
	}
}

// coolers finds the cooling devices that slow the SoC: all but fans.
func (f *finder) coolers() (out []cooler) {
	for _, dir := range f.glob("/sys/class/thermal/cooling_device*") {
		kind, err := readText(f.fs, dir+"/type")
		if err == nil && kind != "" && len(kind) <= 64 && !strings.Contains(strings.ToLower(kind), "fan") {
			out = append(out, cooler{newSource(f.fs, dir+"/cur_state"), kind})
			f.found("thermal throttling", dir, kind)
		}
	}
	if len(out) == 0 {
		f.missing("thermal throttling", "/sys/class/thermal/cooling_device*", "no cooling device but a fan")
	}
	return out
}

// readCoolers names the cooling devices at work.
func readCoolers(list []cooler, r *Reading, miss func(string, error)) {
	for _, s := range list {
		v, err := s.int()
		if err != nil {
			miss("cooling device "+s.kind, err)
			continue
		}
		if r.Heat = Some(r.Heat.V || v > 0); v > 0 {
			r.Cooling = append(r.Cooling, s.kind)
		}
	}
}

func (f *finder) fan() *fanGroup {
	g := &fanGroup{}
	f.tachometer(g)
	for _, dir := range append(f.glob("/sys/devices/platform/pwm-fan/hwmon/hwmon*"),
		f.glob("/sys/class/hwmon/hwmon*")...) {
		if text, _ := readText(f.fs, dir+"/name"); text != "pwmfan" || !f.exists(dir+"/pwm1") {
			continue
		}
		g.pwm = newSource(f.fs, dir+"/pwm1")
		f.found("fan", dir+"/pwm1", "")
		if enable := dir + "/pwm1_enable"; f.exists(enable) {
			g.enable, g.control, g.manual = newSource(f.fs, enable), enable, "1"
		}
		return g
	}
	const old = "/sys/devices/pwm-fan"
	if f.exists(old + "/target_pwm") {
		g.pwm = newSource(f.fs, old+"/target_pwm")
		g.control, g.auto, g.manual = old+"/temp_control", "1", "0"
		f.found("fan", old+"/target_pwm", "")
		return g
	}
	f.missing("fan", "/sys/devices/platform/pwm-fan", "no fan")
	return g
}

// tachometer finds the fan-speed file: in a hwmon of its own since L4T 34, next to the duty cycle before.
func (f *finder) tachometer(g *fanGroup) {
	files := []string{"/sys/devices/pwm-fan/rpm_measured"}
	for _, dir := range f.glob("/sys/class/hwmon/hwmon*") {
		if text, _ := readText(f.fs, dir+"/name"); text == "pwm_tach" {
			files = append(files, dir+"/rpm")
		}
	}
	for _, file := range files {
		if f.exists(file) {
			g.tach = newSource(f.fs, file)
			f.found("fan speed", file, "")
			return
		}
	}
}

const (
	fanFull = 255     // duty cycle of 100 %
	mostRPM = 100_000 // far above any fan
)

// read reads speed and duty cycle. The fan turns at its duty cycle only if it has power: by its file, or by its speed.
func (g *fanGroup) read(r *Reading, miss func(string, error)) {
	if g.tach != nil {
		v, err := g.tach.within(mostRPM, " is not a fan's speed")
		if err != nil {
			miss("fan speed", err)
		}
		r.FanRPM = Val[int64]{V: v, OK: err == nil}
	}
	if g.pwm == nil {
		return
	}
	v, err := g.pwm.within(fanFull, " is not a duty cycle")
	if err != nil {
		miss("fan", err)
		return
	}
	powered := errNoEnable
	if g.enable != nil {
		var mode int64
		if mode, powered = g.enable.int(); powered == nil && mode == 0 {
			v = 0
		}
	}
	if powered != nil && v > 0 && r.FanRPM == Some[int64](0) {
		miss("fan", fmt.Errorf("a duty cycle of %d of %d, and it does not turn", v, fanFull))
		return
	}
	r.FanPct = Some(100 * float64(v) / fanFull)
}

var errNoEnable = errors.New("no file says that the fan has power")
