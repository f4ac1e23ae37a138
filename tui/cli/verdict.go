package cli

import (
	"strings"

	"jtune/tegra"
	"jtune/tegra/rivals"
	"jtune/tui/session"
)

// verdictJSON sums up the doctor's findings.
type verdictJSON struct {
	Level string `json:"level"` // ready, limited, unable
	Text  string `json:"text"`
}

// Levels of a verdict.
const (
	levelReady   = "ready"
	levelLimited = "limited"
	levelUnable  = "unable"
)

// facts is what the verdict rests on.
type facts struct {
	noCPU, noGPU, noEMC bool // the knob's list of clocks is not known at all
	partial             bool // the memory's list lacks rates that only root may read
	noPower             bool // no figure for the whole module now
	noLoad              bool // the GPU's load is not known
	cannotApply         string
	withSudo            bool
	running             []string // who else may change knobs now
	virtual             bool
}

func factsOf(s *session.Session, last tegra.Reading, others []rivals.Rival, r rightsJSON) facts {
	space := s.Device.Space()
	f := facts{noCPU: len(space.CPU) == 0, noGPU: len(space.GPU) == 0, noEMC: len(space.EMC) == 0, partial: !s.Sysfs().Complete(),
		noPower: !last.TotalW.OK, noLoad: !last.GPU.LoadPct.OK, withSudo: r.sudo, virtual: s.Virtual != nil}
	if !r.Apply {
		f.cannotApply = r.How
	}
	for _, o := range others {
		if o.Active() {
			f.running = append(f.running, o.Name)
		}
	}
	return f
}

// verdict is one line: what works, then what does not.
func verdict(f facts) verdictJSON {
	var broken, limits []string
	add := func(to *[]string, when bool, text string) {
		if when {
			*to = append(*to, text)
		}
	}
	add(&broken, f.noCPU, "the CPU lists no clocks")
	add(&broken, f.noGPU, "the GPU lists no clocks (run something on it once, or see above)")
	add(&broken, f.noEMC && !f.partial, "the memory lists no rates")
	add(&limits, f.partial && len(broken) == 0, "the memory's rates are known to root alone")
	add(&limits, f.noPower, "no power of the whole module, so nothing can be tuned for power or energy")
	add(&limits, f.noLoad, "no GPU load")
	add(&limits, f.cannotApply != "", "no modes can be set: "+f.cannotApply)
	add(&limits, f.withSudo, "setting modes asks for the sudo password")
	add(&limits, len(f.running) > 0, strings.Join(f.running, ", ")+" may change knobs meanwhile")
	v := verdictJSON{levelReady, "ready: all that tuning needs is here"}
	switch {
	case len(broken) > 0:
		v = verdictJSON{levelUnable, "can be watched, not tuned: " + strings.Join(append(broken, limits...), "; ")}
	case len(limits) > 0:
		v = verdictJSON{levelLimited, "usable, with limits: " + strings.Join(limits, "; ")}
	}
	if f.virtual {
		v.Text += " (virtual board)"
	}
	return v
}
