package virtual

import (
	"math"
	"slices"
	"time"

	"jtune/tegra"
	"jtune/tegra/virtual/physics"
)

// Heat of the module on its cooler: one body that follows the total power
// slowly, and dies that are warmer by their own power.
const (
	ambientC    = 25.0
	bodyTau     = 60 * time.Second
	stillKPerW  = 1.6  // body over air, fan standing
	blownKPerW  = 0.42 // fan at full speed
	dieKPerW    = 0.35 // GPU and CPU dies over the body
	throttleAtC = 99.0 // clocks are cut from here
	releaseAtC  = 92.0 // and freed again below this
	stopAtC     = 104.5
	cutTo       = 0.55 // of the highest clock
	fanFromC    = 45.0 // the fan service begins to speed up
	fanFullC    = 80.0
	fanIdlePWM  = 55 // of 255
	fanTopRPM   = 4200
)

// heat is the module's thermal state.
type heat struct {
	body, gpu, cpu float64 // °C
	pwm            int     // what the fan is driven with, 0 to 255
	manual         bool    // the fan service is off: pwm stays as written
	fan            float64 // how fast it turns, 0 to 1
	throttled      bool
	events         int // how often throttling began
}

func newHeat(air float64) heat {
	return heat{body: air + 12, gpu: air + 13, cpu: air + 13, pwm: fanIdlePWM, fan: fanIdlePWM / 255.0}
}

// Heat brings the whole module to a temperature at once; from there it follows its
// power and the air again.
func (b *Board) Heat(c float64) {
	defer b.enter()()
	b.heat.body, b.heat.gpu, b.heat.cpu = c, c, c
}

// ambient is the air's temperature.
func (b *Board) ambient() float64 {
	if b.faults.AmbientC != 0 {
		return b.faults.AmbientC
	}
	return ambientC
}

// add lets dt pass at the module's power; true when throttling began or ended.
func (h *heat) add(dt time.Duration, power physics.Power, air float64, fanStuck bool) (turned bool) {
	if !h.manual {
		h.pwm = fanIdlePWM + int((255-fanIdlePWM)*max(0, min(1, (h.hottest()-fanFromC)/(fanFullC-fanFromC))))
	}
	h.fan = float64(h.pwm) / 255
	if fanStuck {
		h.fan = 0
	}
	rest := air + power.Total()*(blownKPerW+(stillKPerW-blownKPerW)*math.Pow(1-h.fan, 2))
	h.body += (rest - h.body) * (1 - math.Exp(-float64(dt)/float64(bodyTau)))
	h.gpu, h.cpu = h.body+dieKPerW*power.GPU, h.body+dieKPerW*power.CPU
	was := h.throttled
	switch hot := h.hottest(); {
	case hot >= throttleAtC && !was:
		h.throttled = true
		h.events++
	case hot < releaseAtC:
		h.throttled = false
	}
	return h.throttled != was
}

func (h *heat) hottest() float64 { return max(h.gpu, h.cpu) }

// limit cuts a clock while the module throttles.
func (h *heat) limit(list []tegra.Freq, f tegra.Freq) tegra.Freq {
	if !h.throttled {
		return f
	}
	return min(f, below(list, tegra.Freq(cutTo*float64(slices.Max(list)))))
}
