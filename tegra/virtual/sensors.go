package virtual

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// channels of the two INA3221 chips: which rail they measure, -1 for none.
var channels = []struct {
	chip, channel int
	label         string
	rail          int
}{
	{0, 1, "VDD_GPU_SOC", railGPU}, {0, 2, "VDD_CPU_CV", railCPU}, {0, 3, "VIN_SYS_5V0", railSys},
	{1, 1, "NC", -1}, {1, 2, "VDDQ_VDD2_1V8AO", railRAM}, {1, 3, "NC", -1},
}

func (b *Board) railFiles() {
	for chip := range 2 {
		device := fmt.Sprintf("/sys/devices/platform/c240000.i2c/i2c-1/1-004%d", chip)
		hwmon := fmt.Sprintf("%s/hwmon/hwmon%d", device, 3+chip)
		b.text(device+"/name", "ina3221\n")
		b.text(hwmon+"/name", "ina3221\n")
		b.text(hwmon+"/in7_label", "sum of shunt voltages\n")
		b.show(hwmon+"/in7_input", func() string {
			m := b.measured()
			return strconv.FormatInt(2*(m[railGPU].milliAmp+m[railCPU].milliAmp), 10) + "\n"
		})
		b.text(hwmon+"/update_interval", strconv.Itoa(int(refresh/time.Millisecond))+"\n")
		b.link(fmt.Sprintf("/sys/bus/i2c/drivers/ina3221/1-004%d", chip), device)
		b.link(fmt.Sprintf("/sys/bus/i2c/devices/1-004%d", chip), device)
		b.link(fmt.Sprintf("/sys/class/hwmon/hwmon%d", 3+chip), hwmon)
	}
	for _, c := range channels {
		dir := fmt.Sprintf("/sys/bus/i2c/drivers/ina3221/1-004%d/hwmon/hwmon%d", c.chip, 3+c.chip)
		real := strings.Replace(dir, "/sys/bus/i2c/drivers/ina3221/", "/sys/devices/platform/c240000.i2c/i2c-1/", 1)
		b.channelFiles(real, c.channel, c.label, c.rail)
	}
}

// channelFiles are one channel's; those of a rail that a fault removed vanish.
func (b *Board) channelFiles(dir string, channel int, label string, rail int) {
	value := func(of func(measure) int64) func() string {
		return func() string { return strconv.FormatInt(of(b.measured()[max(rail, 0)]), 10) + "\n" }
	}
	in, curr := fmt.Sprintf("%s/in%d", dir, channel), fmt.Sprintf("%s/curr%d", dir, channel)
	made := []*node{
		b.text(in+"_label", label+"\n"),
		b.show(in+"_input", value(func(m measure) int64 { return m.milliVolt })),
		b.show(curr+"_input", value(func(m measure) int64 { return m.milliAmp })),
		b.text(curr+"_max", "32760\n"),
		b.text(curr+"_crit", "32760\n"),
		b.show(fmt.Sprintf("%s/in%d_input", dir, channel+3),
			value(func(m measure) int64 { return 2 * m.milliAmp })), // shunt µV
	}
	for _, n := range made {
		n.gone = func() bool { return slices.Contains(b.faults.MissingRails, label) }
	}
	if rail < 0 { // not connected: the chip answers, the channel does not
		for _, n := range made[1:3] {
			n.fails = func() error { return syscall.EIO }
		}
	}
}

// thermalFiles are the zones of L4T 35 in order. What is powered down reads
// -256 °C: the GPU without work, the vision units always.
func (b *Board) thermalFiles() {
	h := &b.heat
	off := func() float64 { return -256 }
	near := func(offset float64) func() float64 { return func() float64 { return h.body + offset } }
	zones := []struct {
		name string
		temp func() float64
	}{
		{"CPU-therm", func() float64 { return h.cpu }},
		{"GPU-therm", func() float64 {
			if b.gated() {
				return -256
			}
			return h.gpu
		}},
		{"CV0-therm", off}, {"CV1-therm", off}, {"CV2-therm", off},
		{"SOC0-therm", near(0.4)}, {"SOC1-therm", near(0.1)}, {"SOC2-therm", near(0.6)},
		{"tj-therm", h.hottest}, {"Tboard_tegra", near(-7)}, {"Tdiode_tegra", near(-4)},
	}
	for i, z := range zones {
		dir := fmt.Sprintf("/sys/devices/virtual/thermal/thermal_zone%d", i)
		b.tripFiles(dir, z.name)
		b.text(dir+"/type", z.name+"\n")
		b.show(dir+"/temp", func() string { return strconv.Itoa(int(math.Round(z.temp()*32)*1000/32)) + "\n" })
		b.link(fmt.Sprintf("/sys/class/thermal/thermal_zone%d", i), dir)
	}
	for i, name := range []string{"cpu-throttle-alert", "gpu-throttle-alert"} {
		dir := fmt.Sprintf("/sys/devices/virtual/thermal/cooling_device%d", i)
		b.text(dir+"/type", name+"\n")
		b.text(dir+"/max_state", "1\n")
		b.show(dir+"/cur_state", func() string { return flag(h.throttled) })
		b.link(fmt.Sprintf("/sys/class/thermal/cooling_device%d", i), dir)
	}
	const oc = "/sys/devices/platform/soctherm-oc-event/hwmon/hwmon5"
	b.text(oc+"/name", "soctherm_oc\n")
	b.text(oc+"/oc1_event_cnt", "0\n")
	b.link("/sys/class/hwmon/hwmon5", oc)
}

// tripFiles are a zone's trip points: the dies' slow and stop the module, the hottest
// place also drives the fan, the circuit board's sensors have none.
func (b *Board) tripFiles(dir, zone string) {
	type trip struct {
		kind string
		c    float64
	}
	var trips []trip
	if zone == "tj-therm" {
		trips = []trip{{"active", fanFromC}, {"active", fanFullC}}
	}
	if strings.HasSuffix(zone, "-therm") {
		trips = append(trips, trip{"passive", throttleAtC}, trip{"critical", stopAtC})
	}
	for i, t := range trips {
		b.text(fmt.Sprintf("%s/trip_point_%d_type", dir, i), t.kind+"\n")
		b.text(fmt.Sprintf("%s/trip_point_%d_temp", dir, i), strconv.Itoa(int(1000*t.c))+"\n")
	}
}

// fanFiles: full speed holds, as after jetson_clocks --fan; any other duty
// cycle is taken over by the fan service again.
func (b *Board) fanFiles() {
	h := &b.heat
	const fan, tach = "/sys/devices/platform/pwm-fan/hwmon/hwmon2",
		"/sys/devices/platform/39c0000.tachometer/hwmon/hwmon0"
	b.text(fan+"/name", "pwmfan\n")
	b.knob(fan+"/pwm1", func() string { return strconv.Itoa(h.pwm) + "\n" }, func(v string) error {
		pwm, err := number(v)
		if err != nil || pwm > 255 {
			return syscall.EINVAL
		}
		h.pwm, h.manual = int(pwm), pwm == 255 || pwm == 0
		return nil
	})
	b.link("/sys/class/hwmon/hwmon2", fan)
	b.text(tach+"/name", "pwm_tach\n")
	b.show(tach+"/rpm", func() string { return strconv.Itoa(int(fanTopRPM*h.fan)) + "\n" })
	b.link("/sys/class/hwmon/hwmon0", tach)
}
