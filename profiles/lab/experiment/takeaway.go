package experiment

import (
	"fmt"
	"slices"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/tegra"
)

func sayWorkers(r *Report) (out text.Lines) {
	var c choice
	var names []string
	for _, s := range r.settings() {
		if ms := r.stat(r.pace(s), "time_ms"); ms.OK {
			names, c.MS = append(names, s), append(c.MS, ms.V)
		}
	}
	if len(names) == 0 {
		return nil
	}
	fastest := names[c.fastest()]
	for _, s := range names {
		c.Noise = append(c.Noise, r.margin("time_ms", r.pace(fastest), r.pace(s)))
	}
	c.Distinct = r.distinct(gotWorkers)
	enough := names[c.enough()]
	out.Add("%s", withNames(enoughWorkers.Say(c), enough, fastest, capital(enough)))
	if c.Distinct < 2 {
		return out
	}
	for i := 1; i < len(names); i++ {
		if names[i-1] == "workers 0" || names[i] == enough {
			out.Add("From %s to %s: %s.", names[i-1], names[i], r.compared(gotWorkers, r.pace(names[i-1]),
				r.pace(names[i])))
		}
	}
	if last := names[len(names)-1]; last != enough {
		out.Add("From %s to %s: %s.", enough, last, r.compared(gotWorkers, r.pace(enough), r.pace(last)))
	}
	return out
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func sayCache(r *Report) (out text.Lines) {
	for _, s := range r.settings() {
		first, later := lineKey{s, epoch0}, lineKey{s, later}
		if says := r.compared("", first, later); says != "" {
			out.Add("%s: from epoch 0 to the later ones %s; the disk read %s, then %s.", capital(s), says,
				r.read(first), r.read(later))
		}
	}
	kept, dropped, loaded := lineKey{"cold at the start", later}, lineKey{"dropped each epoch", later},
		lineKey{"preloaded", later}
	return append(out, text.Said(
		worthOfCache.Say(paging{r.treatment(diskReads, dropped, kept), r.change("time_ms", dropped, kept),
			r.read(dropped), r.read(kept)}),
		preload.Say(preloading{r.treatment(diskReads, kept, loaded), r.stat(kept, "cache_pct"),
			r.change("time_ms", kept, loaded)}))...)
}

// read describes what the disk read during a part.
func (r *Report) read(at lineKey) string {
	v := r.stat(at, diskReads)
	if !v.OK {
		return "an unknown amount"
	}
	return short(v.V/1e6) + " MB/s"
}

func sayStorage(r *Report) (out text.Lines) {
	var m media
	for _, s := range r.settings() {
		name, ok := strings.CutSuffix(s, ": "+coldAlone)
		cold, warm := lineKey{s, ""}, lineKey{name + ": " + warmWithFour, later}
		a, b := r.stat(cold, "time_ms"), r.stat(warm, "time_ms")
		if !ok || !a.OK {
			continue
		}
		reads := r.stat(cold, diskReads)
		if m.Reads = (tegra.Val[float64]{V: min(reads.V, m.Reads.V), OK: reads.OK && m.Reads.OK}); len(m.Cold) == 0 {
			m.Reads = reads
		}
		if m.Cold = append(m.Cold, a.V); b.OK {
			m.Warm = append(m.Warm, b.V)
			out.Add("%s: cold and without workers a minibatch takes %s ms, warm and with four %s ms (%s).", name,
				short(a.V), short(b.V), changed(a.V, b.V))
		}
	}
	m.Reads.V /= 1e6
	return append(out, text.Said(mediaCompared.Say(m))...)
}

func sayBatch(r *Report) (out text.Lines) {
	var b batches
	for _, s := range r.settings() {
		var size int
		ms := r.stat(r.pace(s), "time_ms")
		if _, err := fmt.Sscanf(s, "batch %d", &size); err == nil && size > 0 && ms.OK {
			b.Sizes, b.PerSample = append(b.Sizes, float64(size)), append(b.PerSample, ms.V/float64(size))
		}
	}
	if len(b.Sizes) == 0 {
		return nil
	}
	b.Distinct = r.distinct(gotBatch)
	at, _ := Saturation(b.PerSample)
	b.GPUPct = r.stat(r.pace(fmt.Sprintf("batch %.0f", b.Sizes[at])), "gpu_pct")
	out = append(out, saturation.Say(b))
	if names := r.settings(); b.Distinct > 1 {
		from, to := r.pace(names[0]), r.pace(names[len(names)-1])
		of := func(what, key string) string { return r.change(key, from, to).says(what) }
		out.Add("From %s to %s, per epoch: %s; per minibatch: %s.", from.Setting, to.Setting,
			list(of("time", "epoch_s"), of("energy", "epoch_j")),
			list(of("stall", "stall_ms"), of("compute", "compute_ms")))
	}
	return out
}

func sayDVFS(r *Report) (out text.Lines) {
	off, on := r.pace(dvfsOff), r.pace(dvfsOn)
	if text := r.compared(clocksFree, off, on); text != "" {
		out.Add("With DVFS on: %s.", text)
	}
	out = append(out, text.Said(
		energyOfClocks.Say(cost{r.treatment(clocksFree, off, on), r.change("energy_j", off, on)}),
		clockFalls.Say(clockFall{"CPU", r.ghz(off, "cpu_hz"), r.ghz(on, "cpu_hz")}),
		clockFalls.Say(clockFall{"GPU", r.ghz(off, "gpu_hz"), r.ghz(on, "gpu_hz")}),
		clockFalls.Say(clockFall{"memory", r.ghz(off, "mem_hz"), r.ghz(on, "mem_hz")}))...)
	if l, ok := r.line(on); ok && l.clocks.cpu.OK() {
		out.Add("Shares of the time with DVFS on: CPU %s; GPU %s; memory %s.", l.clocks.cpu, l.clocks.gpu, l.clocks.emc)
	}
	return out
}

func (r *Report) ghz(at lineKey, key string) tegra.Val[float64] {
	v := r.stat(at, key)
	v.V /= 1e9
	return v
}

func sayBaseload(r *Report) (out text.Lines) {
	at := func(s string) lineKey { return lineKey{s, ""} }
	if v := r.stat(at(idleLogging), "power_w"); v.OK {
		out.Add("Idle, clocks locked and logging every second, the module draws %.2f W: that is the base load of "+
			"every run in this mode.", v.V)
		out.Add("Only clocks are locked: the supply of an idle GPU may be off. The papers used jetson_clocks, which " +
			"holds it on (railgate_enable = 0), so that the board draws more.")
	}
	if v := r.stat(at(idleLogging), meterKey); v.OK {
		out.Add("The meter in the supply reads %.2f W at the same time, for the whole machine.", v.V)
	}
	const log, free = "Logging every second in place of every ten", "Clocks that may fall"
	for _, c := range []struct{ from, to, treated, what string }{
		{idleSeldom, idleLogging, readings, log}, {idleSeldom, idleDVFS, clocksFree, free},
	} {
		t := r.treatment(c.treated, at(c.from), at(c.to))
		if says := costOfIdle.Say(cost{t, r.change("power_w", at(c.from), at(c.to))}); says != "" {
			out.Add("%s: %s", c.what, says)
		}
		a, b := r.stat(at(c.from), meterKey), r.stat(at(c.to), meterKey)
		if a.OK && b.OK {
			out.Add("%s, by the meter: %+.2f W (%s).", c.what, b.V-a.V, changed(a.V, b.V))
		}
	}
	return append(out, r.sayMetered()...)
}

// idleStates describes the states of the base load.
var idleStates = map[string]string{"i": "logging, DVFS off", "ii": "logging off, DVFS off",
	"iii": "logging off, DVFS on", "iv": "suspended"}

// sayMetered reports the readings of a meter at the supply, and the cost of logging by them.
func (r *Report) sayMetered() (out text.Lines) {
	watt := map[string]float64{}
	for _, m := range r.meter {
		watt[m.State] = m.Watt
		out.Add("(%s) %s: %.2f W by the meter at the supply, as given.", m.State, idleStates[m.State], m.Watt)
	}
	for _, c := range []struct{ from, to, what string }{{"ii", "i", "Logging"}, {"iii", "ii", "Locked clocks"}} {
		if a, b := watt[c.from], watt[c.to]; a > 0 && b > 0 {
			out.Add("%s by the meter: %+.2f W (%s).", c.what, b-a, changed(a, b))
		}
	}
	return out
}

func sayVariability(r *Report) (out text.Lines) {
	later := slices.DeleteFunc(slices.Clone(r.Lines), func(l Line) bool { return l.Part == epoch0 })
	if len(later) == 0 {
		return nil
	}
	units := r.settings()
	for _, c := range []struct{ name, key, unit string }{{"time", "time_ms", "ms"}, {"energy", "energy_j", "J"}} {
		var medians []float64
		for _, unit := range units {
			var v []float64
			for _, l := range later {
				if s, ok := l.Stats[c.key]; ok && l.Setting == unit {
					v = append(v, s.Median)
				}
			}
			if len(v) == 0 {
				continue
			}
			q := func(share float64) float64 { return stats.Quantile(v, share) }
			medians = append(medians, q(0.5))
			who := ""
			if len(units) > 1 {
				who = capital(unit) + ": over"
			} else {
				who = "Over"
			}
			out.Add("%s %d epochs after the first, the %s of a minibatch stays between %s and %s %s, %.1f %% of the "+
				"median; quartiles %s, %s, %s; from the first of them to the last %s.", who, len(v), c.name,
				short(q(0)), short(q(1)), c.unit, 100*(q(1)-q(0))/q(0.5), short(q(0.25)), short(q(0.5)), short(q(0.75)),
				changed(v[0], v[len(v)-1]))
		}
		if len(medians) > 1 {
			lo, hi := slices.Min(medians), slices.Max(medians)
			out.Add("Over %d units the median %s of a minibatch lies between %s and %s %s, %.1f %% apart.",
				len(medians), c.name, short(lo), short(hi), c.unit, 100*(hi/lo-1))
		}
	}
	return append(out, sayPowerSteps(later)...)
}

// sayPowerSteps finds epochs after which power reads less while the time is unchanged. When a step falls within an
// epoch, it shows against the epoch before.
func sayPowerSteps(later []Line) (out text.Lines) {
	fell := func(from, to Line) string {
		if from.Setting != to.Setting {
			return ""
		}
		watts := func(l Line) tegra.Val[float64] {
			s, ok := l.Stats["power_w"]
			return tegra.Val[float64]{V: s.Median, OK: ok}
		}
		return sensorFell.Say(epochs{watts(from), watts(to), from.Stats["time_ms"].Median, to.Stats["time_ms"].Median})
	}
	for i := 1; i < len(later); i++ {
		from := later[i-1]
		if i > 1 && fell(from, later[i]) == "" && fell(later[i-2], from) == "" {
			from = later[i-2]
		}
		if says := fell(from, later[i]); says != "" {
			out.Add("In %s %s", later[i].Part, says)
		}
	}
	return out
}

// neighbours are pairs of labels that differ in one knob (the 2022 study, table of power modes).
var neighbours = strings.Fields("ab bc cd de ef hi ij jg kl lm mn ng")

func sayModes(r *Report) (out text.Lines) {
	byLabel := map[string]Line{}
	for _, s := range r.settings() {
		label, _, _ := strings.Cut(s, " ")
		if l, ok := r.line(r.pace(s)); ok {
			byLabel[label] = l
		}
	}
	for label, other := range r.same {
		if l, ok := byLabel[other]; ok {
			byLabel[label] = l
		}
	}
	for _, n := range neighbours {
		a, okA := byLabel[n[:1]]
		b, okB := byLabel[n[1:]]
		if what := knobOf(a.Mode, b.Mode); okA && okB && what != "" {
			out.Add(
				"%s to %s, %s: %s.",
				n[:1],
				n[1:],
				what,
				r.compared("", a.lineKey, b.lineKey),
			)
		}
	}
	if lines := r.main(); len(lines) == 2 && len(out) == 0 {
		a, b := lines[0], lines[1]
		if what := knobOf(a.Mode, b.Mode); what != "" {
			out.Add("%s to %s, %s: %s.", a.Setting, b.Setting, what, r.compared("", a.lineKey, b.lineKey))
		}
	}
	fast, ms := r.extreme("time_ms", 1)
	least, _ := r.extreme("energy_j", 1)
	most, _ := r.extreme("energy_j", -1)
	if fast != "" {
		says := bestMode.Say(extremes{ms, r.change("energy_j", r.pace(least), r.pace(most))})
		out = append(out, text.Said(withNames(says, fast, least, most))...)
	}
	if front := r.front(); len(front) > 0 {
		out = append(out, "Not beaten in both time and energy: "+strings.Join(front, "; ")+".")
	}
	return out
}

// OneKnob reports whether exactly one knob of two modes differs.
func OneKnob(a, b tegra.Mode) bool { return knobOf(a, b) != "" }

// knobOf names the one knob that differs, and how; "" when not exactly one does.
func knobOf(a, b tegra.Mode) string {
	var out []string
	for k, name := range []string{"cores", "CPU", "GPU", "memory"} {
		if from, to := a.Values()[k], b.Values()[k]; from != to && k == int(tegra.KnobCores) {
			out = append(out, fmt.Sprintf("%s %d to %d", name, from, to))
		} else if from != to {
			out = append(out, fmt.Sprintf("%s %s to %s", name, tegra.Freq(from), tegra.Freq(to)))
		}
	}
	if len(out) != 1 {
		return ""
	}
	return out[0]
}

// front lists the settings that no other beats in time and energy.
func (r *Report) front() (out text.Lines) {
	value := func(s, key string) tegra.Val[float64] { return r.stat(r.pace(s), key) }
	for _, s := range r.settings() {
		t, e := value(s, "time_ms"), value(s, "energy_j")
		if !t.OK || !e.OK {
			continue
		}
		beaten := slices.ContainsFunc(r.settings(), func(o string) bool {
			ot, oe := value(o, "time_ms"), value(o, "energy_j")
			return ot.OK && oe.OK && ot.V <= t.V && oe.V <= e.V && (ot.V < t.V || oe.V < e.V)
		})
		if !beaten {
			out = append(out, s)
		}
	}
	return out
}
