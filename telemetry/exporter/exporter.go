// Package exporter exports the readings of a device to Prometheus, in its text format: over HTTP, or as a file for
// node_exporter's textfile collector.
//
//	tegra.Device ──► Sampler ──► Exporter ──► series ──► /metrics, FILE
//	                    └─ every second ──► energy counter
//
// A value that the device does not report has no series. Units are base units (joules, watts, hertz, bytes, seconds,
// ratios from 0 to 1), as Prometheus' naming practices require. Names agree with jetson-orin-exporter where that
// follows them.
package exporter

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"jtune/tegra"
	"jtune/telemetry"
)

// energyEvery is the interval of the samples for the energy counter; everything else is read at each scrape.
const energyEvery = time.Second

// Job is what jtune currently measures on the board.
type Job struct {
	Name     string // the campaign's
	Workload string
	Kind     string // the plan's: "tune", "run", "grid", …
	Unit     string // what Units counts: "minibatch"
	Units    int64
	UnitJ    tegra.Val[float64] // energy of one unit, in the setting measured last
	Latency  []Quantile         // of inference, in the setting measured last
	LimitW   tegra.Val[float64] // power limit of the search
}

// Quantile is a latency that a share of the requests did not exceed.
type Quantile struct {
	Share float64 // 0.99
	MS    tegra.Val[float64]
}

// Source is what an Exporter reads.
type Source struct {
	Device   tegra.Device
	Sampler  *telemetry.Sampler    // of Device
	PresetID func() tegra.Val[int] // ID of the preset that nvpmodel set last; nil: unknown
	Job      func() (Job, bool)    // false: nothing runs; nil: not looked up
	// Kept reports whether the mode that was kept last is in force; absent: none was kept; nil: not looked up.
	Kept func(r tegra.Reading) tegra.Val[bool]
}

// value is one value of a series; absent values are left out.
type value = tegra.Val[float64]

// Exporter turns readings into series. It is safe for concurrent use.
type Exporter struct {
	from   Source
	cancel func() // stops the energy counter; nil: not started

	mu     sync.Mutex // guards the fields below
	energy telemetry.Energy
	buf    []byte // the last response's, reused
}

// New returns an exporter without an energy counter.
func New(from Source) *Exporter { return &Exporter{from: from} }

// Begin starts the energy counter; End stops it.
func (e *Exporter) Begin() {
	e.cancel = e.from.Sampler.Subscribe(energyEvery, func(s telemetry.Sample) {
		if p := s.PowerW(); p.OK {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.energy.Add(s.T, p.V)
		}
	})
}

// End stops the energy counter.
func (e *Exporter) End() {
	if e.cancel != nil {
		e.cancel()
	}
}

// Write reads the device and writes every series. It returns the device's error when the device does not answer, else
// w's.
func (e *Exporter) Write(w io.Writer) error {
	begun := time.Now()
	s, err := e.from.Sampler.Read() // before e.mu: the energy counter waits for e.mu while it holds the sampler's lock
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p := page{buf: e.buf[:0]}
	e.board(&p, s.Reading)
	e.power(&p, s)
	heat(&p, s.Reading)
	clocks(&p, s.Reading)
	if e.from.Kept != nil {
		p.gauge("jtune_kept_mode_in_force", "1 while the board is in the mode kept last, 0 once it has left it.",
			asBool(e.from.Kept(s.Reading)))
	}
	if e.from.Job != nil {
		if j, runs := e.from.Job(); runs {
			job(&p, j)
		}
	}
	p.gauge("jetson_exporter_scrape_seconds", "Time that reading the device for this answer took.",
		tegra.Some(time.Since(begun).Seconds()))
	e.buf = p.buf
	_, err = w.Write(e.buf)
	return err
}

// board writes the device's identity and its mode.
func (e *Exporter) board(p *page, r tegra.Reading) {
	b := e.from.Device.Board()
	help := "The board, its module and release."
	if mark := tegra.VirtualMark(b.Origin()); mark != "" {
		help += " Every series describes it " + mark + "."
	}
	p.info("jetson_board_info", help, "model", b.Model, "module", b.Module, "l4t", b.L4T,
		"virtual", strconv.FormatBool(b.Virtual))
	if r.Mode.OK {
		p.info("jetson_mode_info", "The power mode in force: cores, CPU, GPU and memory clock.", "mode",
			r.Mode.V.String())
	}
	if e.from.PresetID == nil {
		return
	}
	id := e.from.PresetID()
	if !id.OK {
		return
	}
	name := ""
	for _, preset := range e.from.Device.Presets() {
		if preset.ID == id.V {
			name = preset.Name
		}
	}
	p.info("jetson_nvpmodel_info", "The preset that nvpmodel set last.", "name", name, "id", strconv.Itoa(id.V))
}

// power writes rails, module and energy.
func (e *Exporter) power(p *page, s telemetry.Sample) {
	for _, m := range []struct {
		name, help string
		of         func(tegra.RailReading) value
	}{
		{"jetson_power_watts", "Power of a rail.", func(r tegra.RailReading) value { return r.PowerW }},
		{"jetson_rail_volts", "Voltage of a rail.", func(r tegra.RailReading) value { return r.Volts }},
		{"jetson_rail_amperes", "Current of a rail.", func(r tegra.RailReading) value { return r.Amperes }},
		{"jtune_rail_volts", "Voltage of a rail, as jetson_rail_volts.",
			func(r tegra.RailReading) value { return r.Volts }},
		{"jtune_rail_amperes", "Current of a rail, as jetson_rail_amperes.",
			func(r tegra.RailReading) value { return r.Amperes }},
	} {
		p.begin(m.name, m.help, gauge)
		for _, r := range s.Reading.Rails {
			p.value(m.of(r), "rail", r.Name)
		}
	}
	b := e.from.Device.Board()
	p.gauge("jetson_module_power_watts", fmt.Sprintf("Power of the module (%s: %s).", b.TotalRule, b.TotalCovers),
		s.PowerW())
	if e.cancel != nil && b.TotalRule != "" {
		p.begin("jetson_energy_joules_total",
			"Energy of the module since this exporter began, integrated from one sample a second.", counter)
		p.value(tegra.Some(e.energy.Joules()))
	}
	signals(p, s.Reading.Signals)
}

// signals writes the warnings about the supply, each for itself.
func signals(p *page, list tegra.Signals) {
	p.begin("jetson_undervoltage_events_total", "Times that the module's supply was too low since boot.", counter)
	if s, ok := list.Find(tegra.UnderVoltage); ok {
		p.value(asFloat(s.Count), "signal", s.Name)
	}
	p.begin("jetson_overcurrent_events_total", "Over-current events since boot, by the board's signals.", counter)
	for _, s := range list {
		if s.Name != tegra.UnderVoltage {
			p.value(asFloat(s.Count), "signal", s.Name)
		}
	}
	p.begin("jetson_supply_alarm", "1 while the current of a rail is above its monitor's limit, or the "+
		"supply's voltage below the least.", gauge)
	for _, s := range list {
		p.value(asBool(s.Alarm), "signal", s.Name)
	}
}

// heat writes temperatures, throttling and fan.
func heat(p *page, r tegra.Reading) {
	p.begin("jetson_temperature_celsius", "Temperature of a thermal zone.", gauge)
	for _, t := range r.Temps {
		p.value(tegra.Some(t.C), "zone", t.Name)
	}
	p.begin("jetson_throttled", "1 while a limit slows a part of the SoC.", gauge)
	p.value(asBool(r.Heat), "reason", "thermal")
	p.value(asBool(tegra.Val[bool]{V: len(r.Slow) > 0, OK: r.Throttled.OK}), "reason", "clock")
	p.begin("jetson_fan_duty_ratio", "Duty cycle of the fan, 0 to 1.", gauge)
	p.value(ratio(r.FanPct), "fan", "pwm-fan")
	p.begin("jetson_fan_rpm", "Speed of the fan in revolutions per minute.", gauge)
	p.value(asFloat(r.FanRPM), "fan", "pwm-fan")
}

// clocks writes clocks, loads and memory.
func clocks(p *page, r tegra.Reading) {
	for _, m := range []struct {
		name, help string
		of         func(tegra.CoreReading) value
	}{
		{"jetson_cpu_online", "1 for a core that is online.",
			func(c tegra.CoreReading) value { return asBool(tegra.Some(c.Online)) }},
		{"jetson_cpu_frequency_hertz", "Clock of a core.",
			func(c tegra.CoreReading) value { return asFloat(c.Freq) }},
		{"jetson_cpu_busy_ratio", "Share of time since the last reading that a core worked, 0 to 1.",
			func(c tegra.CoreReading) value { return ratio(c.LoadPct) }},
	} {
		p.begin(m.name, m.help, gauge)
		for i, c := range r.Cores {
			p.value(m.of(c), "cpu", strconv.Itoa(i))
		}
	}
	p.gauge("jetson_gpu_frequency_hertz", "Clock of the GPU.", asFloat(r.GPU.Actual))
	p.gauge("jetson_gpu_busy_ratio", "Load of the GPU, 0 to 1.", ratio(r.GPU.LoadPct))
	p.gauge("jetson_emc_frequency_hertz", "Clock of the memory.", asFloat(r.EMC.Actual))
	p.gauge("jetson_emc_busy_ratio", "Load of the memory, 0 to 1.", ratio(r.EMC.LoadPct))
	p.gauge("jetson_memory_used_bytes", "Memory in use.", asFloat(r.RAMUsed))
	p.gauge("jetson_memory_total_bytes", "Memory of the module.", asFloat(r.RAMTotal))
}

// job writes what is currently measured.
func job(p *page, j Job) {
	p.info("jtune_job_info", "The job that jtune measures.", "workload", j.Workload, "kind", j.Kind, "job", j.Name)
	p.begin("jtune_units_total", "Units of work that were measured.", counter)
	p.value(tegra.Some(float64(j.Units)), "unit", j.Unit, "job", j.Name)
	p.begin("jtune_joules_per_unit", "Energy of the module for a unit of work, in the setting measured last.", gauge)
	p.value(j.UnitJ, "unit", j.Unit)
	p.begin("jtune_latency_seconds", "Latency of requests or batches, in the setting measured last.", gauge)
	for _, q := range j.Latency {
		p.value(value{V: q.MS.V / 1000, OK: q.MS.OK}, "quantile", strconv.FormatFloat(q.Share, 'g', -1, 64))
	}
	p.gauge("jtune_limit_watts", "Power limit of the search.", j.LimitW)
}

func asFloat[T ~int64](v tegra.Val[T]) value { return value{V: float64(v.V), OK: v.OK} }

func asBool(v tegra.Val[bool]) value {
	out := value{OK: v.OK}
	if v.V {
		out.V = 1
	}
	return out
}

// ratio converts per cent to a ratio, 0 to 1.
func ratio(pct value) value { return value{V: pct.V / 100, OK: pct.OK} }
