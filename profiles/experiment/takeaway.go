package experiment

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jtune/internal/stats"
	"jtune/internal/text"
	"jtune/internal/usage"
	"jtune/tegra"
)

func sayWorkers(r *Report) (out text.Lines) {
	names := r.settings()
	fastest, best := r.extreme("time_ms", 1)
	if fastest == "" {
		return nil
	}
	enough := ""
	for _, s := range names {
		if enough == "" && r.stat(r.pace(s), "time_ms").OK && !r.differs("time_ms", r.pace(fastest), r.pace(s)) {
			enough = s
		}
	}
	beyond := percent(r.margin("time_ms", r.pace(fastest), r.pace(enough)))
	if enough == names[0] {
		out.Add(
			"Loader processes change little: with %s a minibatch takes %s ms, at best (%s) %s ms.",
			enough,
			short(r.stat(r.pace(enough), "time_ms").V),
			fastest,
			short(best),
		)
	} else if enough == names[len(names)-1] {
		out.Add("%s is not one too many: of those that ran it is the fastest by more than "+
			"%s.", capital(enough), beyond)
	} else {
		out.Add("%s is enough: more bring less than %s.", capital(enough), beyond)
	}
	for i := 1; i < len(names); i++ {
		if names[i-1] == "workers 0" || names[i] == enough {
			out.Add(
				"From %s to %s: %s.",
				names[i-1],
				names[i],
				r.compared(r.pace(names[i-1]), r.pace(names[i])),
			)
		}
	}
	if last := names[len(names)-1]; last != enough {
		out.Add("From %s to %s: %s.", enough, last, r.compared(r.pace(enough), r.pace(last)))
	}
	return out
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func sayCache(r *Report) (out text.Lines) {
	for _, s := range r.settings() {
		first, later := lineKey{s, epoch0}, lineKey{s, later}
		if text := r.compared(first, later); text != "" {
			out.Add("%s: from epoch 0 to the later ones %s%s.", capital(s), text, r.readText(s))
		}
	}
	cold, dropped := lineKey{"cold at the start", later}, lineKey{"dropped each epoch", later}
	a, b := r.stat(cold, "time_ms"), r.stat(dropped, "time_ms")
	switch {
	case !a.OK || !b.OK:
	case !r.differs("time_ms", cold, dropped):
		out.Add(
			"Whether the data come from the disk or from memory makes no difference beyond noise here: %s "+
				"and %s ms, less than %s apart.",
			short(b.V),
			short(a.V),
			percent(r.margin("time_ms", cold, dropped)),
		)
	case b.V > a.V:
		out.Add(
			"The page cache is worth %.0f %%: without it a minibatch takes %s ms, with it %s ms.",
			100*(1-a.V/b.V),
			short(b.V),
			short(a.V),
		)
	default:
		out.Add(
			"With the cache dropped a minibatch took %s ms, with it %s ms: something else changed; repeat it "+
				"(%s 3).",
			short(b.V),
			short(a.V),
			usage.Repeat,
		)
	}
	return append(out, r.preload()...)
}

// inMemory is the share of the data in the page cache, in percent, above which no epoch reads them again.
const inMemory = 95

// preload advises to preload the data when a cold run does not bring them into memory and a run with the data in memory
// is faster.
func (r *Report) preload() (out text.Lines) {
	cold, cached := lineKey{"cold at the start", later}, lineKey{"preloaded", later}
	share, from, to := r.stat(cold, "cache_pct"), r.stat(cold, "time_ms"), r.stat(cached, "time_ms")
	if share.OK && share.V < inMemory && r.differs("time_ms", cold, cached) && to.V < from.V {
		out.Add("Preload the data (cache = \"preload\"): a run that begins cold has %s %% of them in memory after "+
			"whole epochs and takes %s ms a minibatch, preloaded it takes %s ms (%s).", short(share.V), short(from.V),
			short(to.V), change(from.V, to.V))
	}
	return out
}

func (r *Report) readText(s string) string {
	a, b := r.stat(lineKey{s, epoch0}, "read_bytes_per_s"), r.stat(lineKey{s, later}, "read_bytes_per_s")
	if !a.OK || !b.OK {
		return ""
	}
	return fmt.Sprintf("; the disk read %s MB/s, then %s", short(a.V/1e6), short(b.V/1e6))
}

func sayStorage(r *Report) (out text.Lines) {
	type medium struct {
		name       string
		cold, warm tegra.Val[float64]
	}
	var media []medium
	for _, s := range r.settings() {
		if name, ok := strings.CutSuffix(s, ": "+coldAlone); ok {
			w := name + ": " + warmWithFour
			media = append(media, medium{name, r.stat(lineKey{s, ""}, "time_ms"), r.stat(lineKey{w, later}, "time_ms")})
		}
	}
	for _, m := range media {
		if m.cold.OK && m.warm.OK {
			out.Add(
				"%s: cold and without workers a minibatch takes %s ms, warm and with four %s ms (%s).",
				m.name,
				short(m.cold.V),
				short(m.warm.V),
				change(m.cold.V, m.warm.V),
			)
		}
	}
	if len(media) < 2 {
		return out
	}
	ratio := func(of func(medium) tegra.Val[float64]) float64 { // 0: nothing to compare
		least, most := math.Inf(1), 0.0
		for _, m := range media {
			if v := of(m); v.OK {
				least, most = min(least, v.V), max(most, v.V)
			}
		}
		return most / least
	}
	cold := ratio(func(m medium) tegra.Val[float64] { return m.cold })
	warm := ratio(func(m medium) tegra.Val[float64] { return m.warm })
	text := fmt.Sprintf("The slowest medium takes %.2f times as long as the fastest when cold without workers", cold)
	if warm > 0 {
		text += fmt.Sprintf(", %.2f times when warm with four", warm)
	}
	if warm > 0 && cold > 1+alike && warm <= 1+alike {
		text += ": a faster medium helps only where neither cache nor workers hide it"
	}
	return append(out, text+".")
}

func sayBatch(r *Report) (out text.Lines) {
	perSample := func(s string) (ms float64, n int) {
		var size int
		if _, err := fmt.Sscanf(s, "batch %d", &size); err != nil || size == 0 {
			return 0, 0
		}
		return r.stat(r.pace(s), "time_ms").V / float64(size), size
	}
	names := r.settings()
	best := math.Inf(1)
	fastest := ""
	for _, s := range names {
		if ms, n := perSample(s); n > 0 && ms > 0 && ms < best {
			best, fastest = ms, s
		}
	}
	for _, s := range names {
		ms, n := perSample(s)
		shorter := max(0.05, r.margin("time_ms", r.pace(fastest), r.pace(s)))
		if n == 0 || ms > best*(1+shorter) {
			continue
		}
		gpu := ""
		if v := r.stat(r.pace(s), "gpu_pct"); v.OK {
			gpu = fmt.Sprintf("; the GPU is busy %.0f %% of the time", v.V)
		}
		text := fmt.Sprintf(
			"From batch %d on an epoch gets less than %s shorter: %s ms per sample, %s at best%s.",
			n,
			percent(shorter),
			short(ms),
			short(best),
			gpu,
		)
		if s == names[len(names)-1] {
			text = fmt.Sprintf(
				"An epoch still gets shorter at batch %d, the largest that ran: %s ms per sample%s.",
				n,
				short(ms),
				gpu,
			)
		}
		out = append(out, text)
		break
	}
	if len(names) > 1 {
		a, b := r.pace(names[0]), r.pace(names[len(names)-1])
		out.Add(
			"From %s to %s, per epoch: %s; per minibatch: %s.",
			a.Setting,
			b.Setting,
			list(
				r.moved("time", "epoch_s", a, b),
				r.moved("energy", "epoch_j", a, b),
			),
			list(r.moved("stall", "stall_ms", a, b), r.moved("compute", "compute_ms", a, b)),
		)
	}
	return out
}

func sayDVFS(r *Report) (out text.Lines) {
	off, on := r.pace(dvfsOff), r.pace(dvfsOn)
	if text := r.compared(off, on); text != "" {
		out.Add("With DVFS on: %s.", text)
	}
	a, b := r.stat(off, "energy_j"), r.stat(on, "energy_j")
	if within := r.margin("energy_j", off, on); a.OK && b.OK && !math.IsInf(within, 1) &&
		!r.differs("energy_j", off, on) {
		out.Add("It neither saves nor costs energy beyond noise: less than %s.", percent(within))
	}
	for _, c := range []struct{ name, key string }{{"CPU", "cpu_hz"}, {"GPU", "gpu_hz"}, {"memory", "mem_hz"}} {
		if f := r.stat(off, c.key); f.OK {
			if g := r.stat(on, c.key); g.OK && g.V < 0.95*f.V {
				out.Add("The %s clock falls from %.2f to %.2f GHz in the mean.", c.name, f.V/1e9, g.V/1e9)
			}
		}
	}
	if l, ok := r.line(on); ok && l.clocks.cpu.OK() {
		out.Add("Shares of the time with DVFS on: CPU %s; GPU %s; memory %s.", l.clocks.cpu, l.clocks.gpu, l.clocks.emc)
	}
	return out
}

func sayBaseload(r *Report) (out text.Lines) {
	watts := func(s string) tegra.Val[float64] { return r.stat(lineKey{s, ""}, "power_w") }
	if v := watts(idleLogging); v.OK {
		out.Add(
			"Idle, clocks locked and logging every second, the module draws %.2f W: that is the base load of "+
				"every run in this mode.",
			v.V,
		)
		out.Add("Only clocks are locked: the supply of an idle GPU may be off. The papers used jetson_clocks, which " +
			"holds it on (railgate_enable = 0), so that the board draws more.")
	}
	for _, c := range []struct{ from, to, what string }{
		{idleSeldom, idleLogging, "Logging every second in place of every ten"},
		{idleSeldom, idleDVFS, "Clocks that may fall"},
	} {
		a, b := watts(c.from), watts(c.to)
		switch {
		case !a.OK || !b.OK:
		case !r.differs("power_w", lineKey{c.from, ""}, lineKey{c.to, ""}):
			out.Add("%s: no difference beyond noise (%.2f and %.2f W).", c.what, a.V, b.V)
		default:
			out.Add("%s: %+.2f W (%s).", c.what, b.V-a.V, change(a.V, b.V))
		}
	}
	a, b := r.stat(lineKey{idleSeldom, ""}, meterKey), r.stat(lineKey{idleDVFS, ""}, meterKey)
	if v := r.stat(lineKey{idleLogging, ""}, meterKey); v.OK {
		out.Add("The meter in the supply reads %.2f W at the same time, for the whole machine.", v.V)
		if a.OK {
			out.Add("Logging every second in place of every ten, by the meter: %+.2f W (%s).", v.V-a.V,
				change(a.V, v.V))
		}
	}
	if a.OK && b.OK {
		out.Add("Clocks that may fall, by the meter: %+.2f W (%s).", b.V-a.V, change(a.V, b.V))
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
			out.Add("%s by the meter: %+.2f W (%s).", c.what, b-a, change(a, b))
		}
	}
	return out
}

// powerStep is a drop of power from one epoch to the next that does not occur in steady training. The papers saw one
// after 16 h; it came from the sensor's logger, not from the board.
const powerStep = 0.12

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
				change(v[0], v[len(v)-1]))
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
	fell := func(from, to Line) bool {
		a, okA := from.Stats["power_w"]
		b, okB := to.Stats["power_w"]
		ta, tb := from.Stats["time_ms"], to.Stats["time_ms"]
		return from.Setting == to.Setting && okA && okB && b.Median < (1-powerStep)*a.Median &&
			math.Abs(tb.Median/ta.Median-1) < alike
	}
	for i := 1; i < len(later); i++ {
		from := later[i-1]
		if i > 1 && !fell(from, later[i]) && !fell(later[i-2], from) {
			from = later[i-2]
		}
		if fell(from, later[i]) {
			out.Add(
				"In %s the power reads %s while the time stays: doubt the sensor, not the board.",
				later[i].Part,
				change(from.Stats["power_w"].Median, later[i].Stats["power_w"].Median),
			)
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
				r.compared(a.lineKey, b.lineKey),
			)
		}
	}
	if lines := r.main(); len(lines) == 2 && len(out) == 0 {
		a, b := lines[0], lines[1]
		if what := knobOf(a.Mode, b.Mode); what != "" {
			out.Add("%s to %s, %s: %s.", a.Setting, b.Setting, what, r.compared(a.lineKey, b.lineKey))
		}
	}
	fast, ms := r.extreme("time_ms", 1)
	least, joules := r.extreme("energy_j", 1)
	most, worst := r.extreme("energy_j", -1)
	switch {
	case fast == "" || least == "":
	case !r.differs("energy_j", r.pace(least), r.pace(most)):
		out.Add("Fastest is %s with %s ms; the energies do not differ beyond noise.", fast, short(ms))
	default:
		out.Add(
			"Fastest is %s with %s ms; least energy takes %s with %s J, most %s with %s J (%s).",
			fast,
			short(ms),
			least,
			short(joules),
			most,
			short(worst),
			change(joules, worst),
		)
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
