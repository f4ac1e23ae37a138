// Package heat is the thermal model of the virtual boards: a module on its heat sink that follows power and air slowly,
// dies that follow it faster, a fan that follows the hottest die, and clocks that are cut when it is too hot.
//
//	power, air ──► Cooling, State.Add ──► temperatures, fan, throttled
//
// No thermal resistance or time constant of a Jetson is published: those of Of are the virtual boards' own choice, of
// the right size for the power that each board draws.
package heat

import (
	"math"
	"time"
)

// Cooling holds a board's thermal constants.
type Cooling struct {
	JPerK      float64       // heat capacity of module and heat sink
	StillKPerW float64       // heat sink over air, fan standing
	BlownKPerW float64       // fan at full speed
	DieKPerW   float64       // a die over the heat sink, by the power of its own supply
	DieTau     time.Duration // of that difference
	FanFromC   float64       // of the hottest die: the fan begins to speed up
	FanFullC   float64       // it turns at full speed
	FanIdlePWM int           // below that, of FullPWM
	ThrottleC  float64       // clocks are cut from here
	ReleaseC   float64       // and freed again below this
	StopC      float64       // the module would switch itself off
}

// FullPWM is the duty cycle of a fan at full speed.
const FullPWM = 255

// cutTo is the share of the highest clock that is left while the module throttles.
const cutTo = 0.55

// common are the constants that all boards share: the trip points of the Orin family, a fan service's table.
var common = Cooling{DieTau: 6 * time.Second, FanFromC: 45, FanFullC: 80, FanIdlePWM: 55, ThrottleC: 99, ReleaseC: 92,
	StopC: 104.5}

// boards are what differs, by the name of the virtual board.
var boards = map[string]Cooling{
	"agx-orin":   {JPerK: 430, StillKPerW: 1.6, BlownKPerW: 0.42, DieKPerW: 0.35},
	"agx-xavier": {JPerK: 380, StillKPerW: 2.3, BlownKPerW: 0.50, DieKPerW: 0.40},
	"xavier-nx":  {JPerK: 105, StillKPerW: 5.6, BlownKPerW: 1.5, DieKPerW: 0.8},
	"orin-nano":  {JPerK: 95, StillKPerW: 6.6, BlownKPerW: 1.7, DieKPerW: 1.0},
	"nano":       {JPerK: 120, StillKPerW: 13, BlownKPerW: 2.4, DieKPerW: 1.5},
	"tx2":        {JPerK: 150, StillKPerW: 6.0, BlownKPerW: 1.2, DieKPerW: 0.6},
}

// Of is the cooling of a virtual board; an unknown name has an AGX Orin's.
func Of(board string) Cooling {
	own, known := boards[board]
	if !known {
		own = boards["agx-orin"]
	}
	c := common
	c.JPerK, c.StillKPerW, c.BlownKPerW, c.DieKPerW = own.JPerK, own.StillKPerW, own.BlownKPerW, own.DieKPerW
	return c
}

// Power is what heats, in watts: the module, and the supplies of the two dies that have a sensor.
type Power struct{ Total, GPU, CPU float64 }

// State is a module's temperatures in °C, its fan, and whether it throttles.
type State struct {
	Sink, GPU, CPU float64
	PWM            int     // what the fan is driven with, 0 to FullPWM
	Manual         bool    // the fan service is off: PWM stays as written
	Fan            float64 // how fast it turns, 0 to 1
	Throttled      bool
	Events         int // how often throttling began
}

// kPerW is the heat sink's resistance to air at a fan's speed.
func (c Cooling) kPerW(fan float64) float64 {
	return c.BlownKPerW + (c.StillKPerW-c.BlownKPerW)*(1-fan)*(1-fan)
}

// drive is the duty cycle that the fan service chooses.
func (c Cooling) drive(hottest float64) int {
	share := max(0, min(1, (hottest-c.FanFromC)/(c.FanFullC-c.FanFromC)))
	return c.FanIdlePWM + int(float64(FullPWM-c.FanIdlePWM)*share)
}

// Tau is the time constant of the heat sink with its fan at a speed.
func (c Cooling) Tau(fan float64) time.Duration {
	return time.Duration(c.JPerK * c.kPerW(fan) * float64(time.Second))
}

// dies are the temperatures that the dies tend to.
func (c Cooling) dies(sink float64, p Power) (gpu, cpu float64) {
	return sink + c.DieKPerW*p.GPU, sink + c.DieKPerW*p.CPU
}

// At is the state that a module at unchanging power ends in, its clocks never cut.
func (c Cooling) At(p Power, air float64, fanStuck bool) State {
	at := func(hottest float64) State {
		s := State{PWM: c.drive(hottest)}
		if !fanStuck {
			s.Fan = float64(s.PWM) / FullPWM
		}
		s.Sink = air + p.Total*c.kPerW(s.Fan)
		s.GPU, s.CPU = c.dies(s.Sink, p)
		return s
	}
	low, high := air, at(air).Hottest()
	for range 50 { // the fan makes it cooler the hotter it is
		if mid := (low + high) / 2; at(mid).Hottest() > mid {
			low = mid
		} else {
			high = mid
		}
	}
	return at(high)
}

// longestStep is how long fan and power count as constant.
const longestStep = 5 * time.Second

// Add lets dt pass; true when throttling began or ended. It ends early then: left is what remains of dt, for the caller
// to work out the power of the other clocks first.
func (s *State) Add(c Cooling, dt time.Duration, p Power, air float64, fanStuck bool) (left time.Duration,
	turned bool) {
	for dt > 0 && !turned {
		step := min(dt, longestStep)
		dt -= step
		turned = s.step(c, step, p, air, fanStuck)
	}
	return dt, turned
}

func (s *State) step(c Cooling, dt time.Duration, p Power, air float64, fanStuck bool) (turned bool) {
	if !s.Manual {
		s.PWM = c.drive(s.Hottest())
	}
	s.Fan = float64(s.PWM) / FullPWM
	if fanStuck {
		s.Fan = 0
	}
	toward := func(v *float64, to float64, tau time.Duration) {
		*v += (to - *v) * -math.Expm1(-float64(dt)/float64(tau))
	}
	toward(&s.Sink, air+p.Total*c.kPerW(s.Fan), c.Tau(s.Fan))
	gpu, cpu := c.dies(s.Sink, p)
	toward(&s.GPU, gpu, c.DieTau)
	toward(&s.CPU, cpu, c.DieTau)
	was := s.Throttled
	switch hot := s.Hottest(); {
	case hot >= c.ThrottleC && !was:
		s.Throttled = true
		s.Events++
	case hot < c.ReleaseC:
		s.Throttled = false
	}
	return s.Throttled != was
}

// Hottest is the junction's temperature.
func (s State) Hottest() float64 { return max(s.GPU, s.CPU) }

// Share of a clock's highest value that is left now, 0 to 1.
func (s State) Share() float64 {
	if s.Throttled {
		return cutTo
	}
	return 1
}
