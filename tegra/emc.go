package tegra

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strconv"

	"jtune/tegra/nvpmodel"
)

// emcGroup holds the memory clock's files. Those of BPMP (TX2, Xavier, Orin, Thor) and of the clock framework (Nano)
// are in debugfs, which only root may enter.
type emcGroup struct {
	freqs                []Freq
	partial              bool // freqs comes from nvpmodel and limits; even the top rate may be missing
	rate, min, max, load *source
	setRate              string // file that takes a locked rate; "" if unknown
	locks                []emcLock
	locked               *source // first file of locks
	cap                  *source
	capZero              bool // the cap file holds 0 for "none", never the top rate (before L4T 36)

	lockedNow Val[bool] // at the last reading
	capNow    Val[Freq] // likewise; 0: none
}

const (
	bpmpEMC   = "/sys/kernel/debug/bpmp/debug/clk/emc"
	bpmpRates = "/sys/kernel/debug/bpmp/debug/emc/possible_rates"
	bwmgrHalt = "/sys/kernel/debug/bpmp/debug/bwmgr/bwmgr_halt"
	nanoEMC   = "/sys/kernel/debug/clk/override.emc"
	nanoBwmgr = "/sys/kernel/debug/tegra_bwmgr"
	thorBwmgr = "/sys/class/devfreq/bwmgr"
	emcCap36  = "/sys/kernel/nvpmodel_clk_cap/emc"
	emcCap35  = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"

	mcAllOrin   = "/sys/kernel/debug/cactmon/mc_all"
	mcAllXavier = "/sys/kernel/actmon_avg_activity/mc_all"
	mcAllThor   = "/sys/kernel/debug/bpmp/debug/actmon/mc_all_avg_activity"
)

func (f *finder) emc(soc string, conf *nvpmodel.Config) *emcGroup {
	g := &emcGroup{}
	if soc == "tegra210" {
		g.rate = f.source("EMC rate", nanoEMC+"/clk_rate")
		g.min, g.max = f.source("EMC min", nanoBwmgr+"/emc_min_rate"), f.source("EMC max", nanoBwmgr+"/emc_max_rate")
		g.lockFiles(f, nanoEMC+"/clk_update_rate", nanoEMC+"/clk_state")
	} else {
		g.rate = f.source("EMC rate", bpmpEMC+"/rate", thorBwmgr+"/cur_freq")
		g.min = f.source("EMC min", bpmpEMC+"/min_rate", thorBwmgr+"/min_freq")
		g.max = f.source("EMC max", bpmpEMC+"/max_rate", thorBwmgr+"/max_freq")
		g.lockFiles(f, bpmpEMC+"/rate", bpmpEMC+"/mrq_rate_locked", bpmpEMC+"/state", bwmgrHalt)
	}
	g.load = f.source("EMC load", mcAllOrin, mcAllXavier, mcAllThor)
	if path, ok := f.first("EMC cap", emcCap36, emcCap35); ok {
		g.cap, g.capZero = newSource(f.fs, path), path == emcCap35
	}
	g.freqs = f.emcFreqs(g, conf)
	return g
}

// emcLock is a file that holds 1 while the rate is locked.
type emcLock struct{ knob, path string }

// lockNames maps files to knob names.
var lockNames = map[string]string{"mrq_rate_locked": "EMC lock", "clk_state": "EMC lock", "state": "EMC state",
	"bwmgr_halt": "EMC manager halt"}

// lockFiles keeps, in the order of writing, the files that exist or may exist where only root can look. Only newer
// releases can halt the bandwidth manager.
func (g *emcGroup) lockFiles(f *finder, rate string, locks ...string) {
	if path, ok := f.first("EMC rate control", rate); ok {
		g.setRate = path
	}
	for i, lock := range locks {
		if lock == bwmgrHalt && !f.mayExist(lock) {
			continue
		}
		knob := lockNames[path.Base(lock)]
		path, ok := f.first(knob, lock)
		if !ok {
			continue
		}
		g.locks = append(g.locks, emcLock{knob, path})
		if i == 0 {
			g.locked = newSource(f.fs, path)
		}
	}
}

// emcFreqs lists the memory's rates: the firmware's list, else the rates named by nvpmodel's configuration and the
// limits, which may be incomplete.
func (f *finder) emcFreqs(g *emcGroup, conf *nvpmodel.Config) []Freq {
	const name = "EMC frequencies"
	list, path, why := f.emcList(g)
	if list != nil {
		f.found(name, path, strconv.Itoa(len(list))+" steps")
		return list
	}
	list = g.named(conf)
	g.partial = !g.topReadable()
	if len(list) == 0 {
		f.missing(name, bpmpRates, why+"; no rate is known, so no mode can be listed")
		return nil
	}
	f.missing(name, bpmpRates,
		why+"; "+strconv.Itoa(len(list))+" of the rates are known from the device's limits and nvpmodel configuration")
	return list
}

// rateLists are the firmware's own lists.
var rateLists = []string{bpmpRates, thorBwmgr + "/available_frequencies"}

// emcList reads the firmware's list; why is the reason if there is none.
func (f *finder) emcList(g *emcGroup) (list []Freq, path, why string) {
	for _, path := range rateLists {
		text, err := readText(f.fs, path)
		if err != nil {
			why = cmp.Or(why, reason(err))
			continue
		}
		if list := g.allowed(freqList(text)); len(list) > 0 {
			return list, path, ""
		}
		why = "the list is empty"
	}
	return nil, "", why
}

func (g *emcGroup) topReadable() bool {
	if g.max == nil {
		return false
	}
	f, err := clock(g.max)
	return err == nil && f > 0
}

// allowed drops rates above the firmware's maximum.
func (g *emcGroup) allowed(list []Freq) []Freq {
	if g.max == nil {
		return list
	}
	most, err := clock(g.max)
	if err != nil || most == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(q Freq) bool { return q > most })
}

func (g *emcGroup) named(conf *nvpmodel.Config) []Freq {
	var out []Freq
	add := func(f Freq, err error) {
		if err == nil && f > 0 && f <= maxFreq {
			out = append(out, f)
		}
	}
	for _, s := range []*source{g.max, g.min, g.cap} {
		if s != nil {
			add(clock(s))
		}
	}
	if conf != nil {
		for _, m := range conf.Modes {
			v, _ := conf.EMC(m)
			add(ClockOf(v), nil)
		}
	}
	return g.allowed(ascending(out))
}

func (g *emcGroup) read(r *Reading, miss func(string, error)) {
	set(&r.EMC.Actual, g.rate, "EMC rate", miss)
	set(&r.EMC.Min, g.min, "EMC min", miss)
	set(&r.EMC.Cap, g.max, "EMC max", miss)
	r.EMC.Max = g.limit(miss)
	g.lockedNow = Val[bool]{}
	if g.locked != nil {
		if on, err := g.locked.flag(); err == nil {
			g.lockedNow = Some(on)
		} else {
			miss("EMC lock", err)
		}
	}
	if g.lockedNow.V {
		r.EMC.Min, r.EMC.Max = r.EMC.Actual, r.EMC.Actual
	}
	if g.load == nil || !r.EMC.Actual.OK || r.EMC.Actual.V < KHz {
		return
	}
	activity, err := g.load.within(math.MaxInt64, " is not a valid activity")
	if err != nil {
		miss("EMC load", err)
		return
	}
	r.EMC.LoadPct = Some(float64(min(100, max(0, activity/r.EMC.Actual.V.KHz()))))
}

// top returns the fastest rate if it is known.
func (g *emcGroup) top() Val[Freq] {
	if len(g.freqs) == 0 || g.partial {
		return Val[Freq]{}
	}
	return Some(g.freqs[len(g.freqs)-1])
}

// limit returns the cap in force: nvpmodel's, else the top rate.
func (g *emcGroup) limit(miss func(string, error)) Val[Freq] {
	v, top := Some(Freq(0)), g.top()
	if g.cap != nil {
		v = Val[Freq]{}
		set(&v, g.cap, "EMC cap", miss)
	}
	g.capNow = v
	if v.OK && (v.V == 0 || top.OK && v.V > top.V) {
		return top
	}
	return v
}

func (g *emcGroup) close() {
	for _, s := range []*source{g.rate, g.min, g.max, g.load, g.locked, g.cap} {
		s.close()
	}
}
