package virtual

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"jtune/tegra"
)

// railFiles adds the power monitors, in their recorded folders.
func (b *Board) railFiles() {
	for _, dir := range slices.Sorted(maps.Keys(b.facts.Hwmon)) {
		b.hwmonFiles(dir, strings.Split(b.facts.Hwmon[dir], ", "))
	}
	for name := range b.facts.Files {
		if dir, ok := strings.CutSuffix(name, "/power1_input"); ok {
			b.ina238Files(dir, b.connect("VIN", float64(b.model.supplyMV)))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(b.facts.IIO)) {
		for i, channel := range strings.Split(b.facts.IIO[dir], ", ") {
			label := strings.Fields(channel)[0]
			b.iioFiles(dir, i, b.connect(label, float64(b.model.supplyMV)))
		}
	}
}

// connect adds a rail and returns its index.
func (b *Board) connect(label string, supplyMV float64) int {
	of, known := railPower[label]
	if !known {
		panic("virtual: what rail " + label + " supplies is not known")
	}
	if label == "SYS5V" {
		supplyMV = lowMV
	}
	r := rail{label: label, of: of, supplyMV: supplyMV, stepMA: float64(b.model.stepMA)}
	if label == "VDD_IN" {
		r.supply = b.model.supply
	}
	b.rails = append(b.rails, r)
	return len(b.rails) - 1
}

// hwmonFiles adds a monitor in the layout of kernels from 5.10: a device, and links to it. channels are "label mV mA".
func (b *Board) hwmonFiles(dir string, channels []string) {
	address, name := path.Base(path.Dir(path.Dir(dir))), path.Base(dir)
	bus, _, _ := strings.Cut(address, "-")
	device := "/sys/devices/platform/c240000.i2c/i2c-" + bus + "/" + address
	hwmon := device + "/hwmon/" + name
	b.text(device+"/name", "ina3221\n")
	b.text(hwmon+"/name", "ina3221\n")
	var connected []int
	for i, channel := range channels {
		fields := strings.Fields(channel)
		index := -1
		if label := fields[0]; label != "NC" {
			index = b.connect(label, float64(clocks(fields[1], 1)[0]))
			connected = append(connected, index)
		}
		b.channelFiles(hwmon, i+1, fields[0], index)
		b.limitFiles(hwmon, dir, i+1, index)
	}
	b.text(hwmon+"/in7_label", "sum of shunt voltages\n")
	sum := func(per int64) func() string {
		return func() string {
			all := int64(0)
			for _, i := range connected {
				all += b.measured()[i].milliAmp
			}
			return strconv.FormatInt(per*all, 10) + "\n"
		}
	}
	b.show(hwmon+"/in7_input", sum(2)) // µV
	b.show(hwmon+"/curr4_input", sum(1))
	b.text(hwmon+"/update_interval", strconv.Itoa(int(refresh/time.Millisecond))+"\n")
	b.link("/sys/bus/i2c/drivers/ina3221/"+address, device)
	b.link("/sys/bus/i2c/devices/"+address, device)
	b.link("/sys/class/hwmon/"+name, hwmon)
}

// ina238Files adds the monitor of an AGX Thor's input: µW, mV and mA; its in0 is the shunt.
func (b *Board) ina238Files(dir string, rail int) {
	value := func(of func(measure) int64) func() string {
		return func() string { return strconv.FormatInt(of(b.polled(rail, 1)), 10) + "\n" }
	}
	b.text(dir+"/name", "ina238\n")
	b.mayVanish("VIN",
		b.show(dir+"/power1_input", value(func(m measure) int64 { return m.milliVolt * m.milliAmp })),
		b.show(dir+"/in1_input", value(func(m measure) int64 { return m.milliVolt })),
		b.show(dir+"/curr1_input", value(func(m measure) int64 { return m.milliAmp })),
	)
}

// channelFiles adds a channel; files of a rail removed by a fault vanish.
func (b *Board) channelFiles(dir string, channel int, label string, rail int) {
	value := func(of func(measure) int64) func() string {
		return func() string { return strconv.FormatInt(of(b.polled(max(rail, 0), 1)), 10) + "\n" }
	}
	in, curr := fmt.Sprintf("%s/in%d", dir, channel), fmt.Sprintf("%s/curr%d", dir, channel)
	made := []*tegra.Node{
		b.text(in+"_label", label+"\n"),
		b.show(in+"_input", value(func(m measure) int64 { return m.milliVolt })),
		b.show(curr+"_input", value(func(m measure) int64 { return m.milliAmp })),
		b.show(fmt.Sprintf("%s/in%d_input", dir, channel+3),
			value(func(m measure) int64 { return 2 * m.milliAmp })), // shunt µV
	}
	if rail < 0 { // not connected: the chip answers, the channel does not
		for _, n := range made[1:3] {
			n.Fails = func() error { return syscall.EIO }
		}
	}
	b.mayVanish(label, made...)
}

// limitFiles adds a channel's recorded current limits, and its alarm.
func (b *Board) limitFiles(dir, recorded string, channel, rail int) {
	name := fmt.Sprintf("/curr%d_", channel)
	for _, limit := range []string{"max", "crit"} {
		text, known := b.facts.Files[recorded+name+limit]
		if !known {
			text = "32760" // full scale: no limit
		}
		b.text(dir+name+limit, text+"\n")
		if most, err := strconv.ParseInt(text, 10, 64); err == nil && known && limit == "crit" && rail >= 0 {
			b.show(dir+name+"crit_alarm", func() string {
				return flag(b.faults.Alarm || b.measured()[rail].milliAmp > most)
			})
		}
	}
}

// eventFiles adds the counters of the supply's signals, which count the events of a fault from its recorded number on.
func (b *Board) eventFiles() {
	for name, text := range b.facts.Files {
		counter, is := strings.CutSuffix(path.Base(name), "_event_cnt")
		if start, err := strconv.ParseInt(text, 10, 64); is && err == nil {
			b.show(name, func() string {
				return strconv.FormatInt(start+int64(b.faults.EventsPerS[counter]*b.at.Seconds()), 10) + "\n"
			})
		}
	}
}

// iioFiles adds a channel in the layout of L4T 32: mV, mA and mW.
func (b *Board) iioFiles(dir string, channel, rail int) {
	value := func(registers int, of func(measure) int64) func() string {
		return func() string { return strconv.FormatInt(of(b.polled(rail, registers)), 10) + "\n" }
	}
	file := func(format string) string { return dir + "/" + fmt.Sprintf(format, channel) }
	label := b.rails[rail].label
	b.mayVanish(label,
		b.text(file("rail_name_%d"), label+"\n"),
		b.show(file("in_voltage%d_input"), value(1, func(m measure) int64 { return m.milliVolt })),
		b.show(file("in_current%d_input"), value(1, func(m measure) int64 { return m.milliAmp })),
		b.show(file("in_power%d_input"),
			value(2, func(m measure) int64 { return (m.milliVolt*m.milliAmp + 500) / 1000 })),
		b.text(file("crit_current_limit_%d"), "32760 ma\n"),
	)
}

// mayVanish hides files while a fault names their rail.
func (b *Board) mayVanish(label string, files ...*tegra.Node) {
	for _, n := range files {
		n.Gone = func() bool { return slices.Contains(b.faults.MissingRails, label) }
	}
}

// zone returns the reading of a thermal zone, °C. Parts that are powered down read -256 °C in kernels that report so
// (L4T 34 and 35): the GPU without work, the vision units always.
func (b *Board) zone(name, recorded string) func() float64 {
	h := &b.heat
	near := func(offset float64) func() float64 { return func() float64 { return h.Sink + offset } }
	kind := strings.ToLower(name)
	offsets := map[string]float64{"soc0-therm": 0.4, "soc1-therm": 0.1, "soc2-therm": 0.6, "tboard_tegra": -7,
		"tdiode_tegra": -4}
	switch off := recorded == "-256000"; {
	case strings.Contains(kind, "gpu"):
		return func() float64 {
			switch {
			case b.gated() && off:
				return -256
			case b.gated() && b.thor():
				return math.NaN()
			}
			return h.GPU
		}
	case recorded == "off": // vision units, whose sensors cannot be read since L4T 36
		return func() float64 { return math.NaN() }
	case off:
		return func() float64 { return -256 }
	case strings.Contains(kind, "cpu"):
		return func() float64 { return h.CPU }
	case strings.HasPrefix(kind, "tj"):
		return func() float64 { return h.Hottest() }
	case recorded == "100000": // alarm of the power controller, not a temperature
		return func() float64 { return 100 }
	default:
		return near(offsets[kind])
	}
}

// thermalFiles adds the zones in recorded order, and the effects of heat.
func (b *Board) thermalFiles() {
	h := &b.heat
	for i, field := range strings.Fields(b.facts.Zones) {
		name, recorded, _ := strings.Cut(field, "=")
		temp := b.zone(name, recorded)
		dir := fmt.Sprintf("/sys/devices/virtual/thermal/thermal_zone%d", i)
		if b.facts.Trips != "" {
			b.tripFiles(dir, name)
		}
		b.text(dir+"/type", name+"\n")
		b.show(dir+"/temp", func() string { return strconv.Itoa(int(math.Round(temp()*32)*1000/32)) + "\n" }).Fails =
			func() error {
				if math.IsNaN(temp()) {
					return syscall.EAGAIN
				}
				return nil
			}
		b.link(fmt.Sprintf("/sys/class/thermal/thermal_zone%d", i), dir)
	}
	for i, name := range []string{"cpu-throttle-alert", "gpu-throttle-alert"} {
		dir := fmt.Sprintf("/sys/devices/virtual/thermal/cooling_device%d", i)
		b.text(dir+"/type", name+"\n")
		b.text(dir+"/max_state", "1\n")
		b.show(dir+"/cur_state", func() string { return flag(h.Throttled) })
		b.link(fmt.Sprintf("/sys/class/thermal/cooling_device%d", i), dir)
	}
}

// tripFiles adds a zone's trip points: those of the dies slow and stop the module, the hottest place also drives the
// fan, the circuit board's sensors have none.
func (b *Board) tripFiles(dir, zone string) {
	type trip struct {
		kind string
		c    float64
	}
	var trips []trip
	if strings.HasPrefix(zone, "tj-therm") {
		trips = []trip{{"active", b.cooling.FanFromC}, {"active", b.cooling.FanFullC}}
	}
	if die := strings.TrimSuffix(zone, "al"); strings.HasSuffix(die, "-therm") && !strings.HasPrefix(die, "t") ||
		strings.HasPrefix(zone, "tj-") {
		trips = append(trips, trip{"passive", b.cooling.ThrottleC}, trip{"critical", b.cooling.StopC})
	}
	for i, t := range trips {
		b.text(fmt.Sprintf("%s/trip_point_%d_type", dir, i), t.kind+"\n")
		b.text(fmt.Sprintf("%s/trip_point_%d_temp", dir, i), strconv.Itoa(int(1000*t.c))+"\n")
	}
}

// fanFiles adds the fan: full speed holds, as after jetson_clocks --fan; the fan service overrides any other duty
// cycle.
func (b *Board) fanFiles() {
	h := &b.heat
	duty := func() string { return strconv.Itoa(h.PWM) + "\n" }
	drive := func(v string) error {
		pwm, err := number(v)
		if err != nil || pwm > 255 {
			return syscall.EINVAL
		}
		h.PWM, h.Manual = int(pwm), pwm == 255 || pwm == 0
		return nil
	}
	rpm := func() string { return strconv.Itoa(int(fanTopRPM*h.Fan)) + "\n" }
	const old = "/sys/devices/pwm-fan"
	if b.facts.Files[old+"/target_pwm"] != "" { // L4T 32
		b.knob(old+"/target_pwm", duty, drive)
		b.knob(old+"/temp_control", func() string { return flag(!h.Manual) }, func(v string) error {
			h.Manual = v == "0"
			return nil
		})
		b.show(old+"/rpm_measured", rpm)
		return
	}
	const fan, tach = "/sys/devices/platform/pwm-fan/hwmon/hwmon2",
		"/sys/devices/platform/39c0000.tachometer/hwmon/hwmon0"
	b.text(fan+"/name", "pwmfan\n")
	b.knob(fan+"/pwm1", duty, drive)
	b.link("/sys/class/hwmon/hwmon2", fan)
	b.text(tach+"/name", "pwm_tach\n")
	b.show(tach+"/rpm", rpm)
	b.link("/sys/class/hwmon/hwmon0", tach)
}
