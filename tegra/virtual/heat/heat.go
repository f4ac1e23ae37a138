// Package heat is the thermal model of the virtual boards: a module and heat sink that follow power and air slowly,
// dies that follow faster, a fan controlled by the hottest die, and clocks that are reduced at high temperature.
//
//	power, air ──► Cooling, State.Add ──► temperatures, fan, throttled
//
// No thermal resistance or time constant of a Jetson is published: the values of Of are the virtual boards' own, of a
// plausible size for each board's power.
package heat

import (
	"cmp"
	"math"
	"time"
)

// Cooling holds a board's thermal constants.
type Cooling struct {
	JPerK      float64       // heat capacity of module and heat sink
	StillKPerW float64       // heat sink to air, fan off
	BlownKPerW float64       // fan at full speed
	DieKPerW   float64       // die to heat sink, per watt of its own supply
	DieTau     time.Duration // time constant of that difference
	FanFromC   float64       // hottest die at which the fan speeds up
	FanFullC   float64       // it turns at full speed
	FanIdlePWM int           // duty cycle below that, of FullPWM
	ThrottleC  float64       // clocks are reduced from here
	ReleaseC   float64       // and restored below this
	StopC      float64       // a real module would shut down
}

// FullPWM is the duty cycle of a fan at full speed.
const FullPWM = 255

// cutTo is the throttled share of the highest clock.
const cutTo = 0.55

// common are constants of all boards: the trip points of the Orin family, a fan service's table.
var common = Cooling{DieTau: 6 * time.Second, FanFromC: 45, FanFullC: 80, FanIdlePWM: 55, ThrottleC: 99, ReleaseC: 92,
	StopC: 104.5}

// boards holds the other constants by board name.
var boards = map[string]Cooling{
	"agx-orin":   {JPerK: 430, StillKPerW: 1.6, BlownKPerW: 0.42, DieKPerW: 0.35},
	"agx-xavier": {JPerK: 380, StillKPerW: 2.3, BlownKPerW: 0.50, DieKPerW: 0.40},
	"xavier-nx":  {JPerK: 105, StillKPerW: 5.6, BlownKPerW: 1.5, DieKPerW: 0.8},
	"orin-nano":  {JPerK: 95, StillKPerW: 6.6, BlownKPerW: 1.7, DieKPerW: 1.0},
	"nano":       {JPerK: 120, StillKPerW: 13, BlownKPerW: 2.4, DieKPerW: 1.5},
	"tx2":        {JPerK: 150, StillKPerW: 6.0, BlownKPerW: 1.2, DieKPerW: 0.6},
	// Fitted to a board maker's rows, but for the heat capacity.
	"orin-nx": {JPerK: 110, StillKPerW: 10.8, BlownKPerW: 1.72, DieKPerW: 0.72, FanFromC: 58.7, FanFullC: 75.1},

	"orin-nano-super": {JPerK: 95, StillKPerW: 6.6, BlownKPerW: 1.7, DieKPerW: 1.0},
	// Critical at 114.5 °C as recorded; passive at 109 °C, where the GPU's alert was seen (UNVERIFIED as a trip point).
	"agx-thor": {JPerK: 600, StillKPerW: 1.0, BlownKPerW: 0.27, DieKPerW: 0.18, ThrottleC: 109, ReleaseC: 104,
		StopC: 114.5},
}

// Of returns the cooling of a virtual board; an AGX Orin's for an unknown name.
func Of(board string) Cooling {
	own, known := boards[board]
	if !known {
		own = boards["agx-orin"]
	}
	c := common
	c.JPerK, c.StillKPerW, c.BlownKPerW, c.DieKPerW = own.JPerK, own.StillKPerW, own.BlownKPerW, own.DieKPerW
	c.FanFromC, c.FanFullC = cmp.Or(own.FanFromC, c.FanFromC), cmp.Or(own.FanFullC, c.FanFullC)
	c.ThrottleC, c.ReleaseC = cmp.Or(own.ThrottleC, c.ThrottleC), cmp.Or(own.ReleaseC, c.ReleaseC)
	c.StopC = cmp.Or(own.StopC, c.StopC)
	return c
}

// Power is the heating power in watts: of the module, and of the supplies of the two dies with sensors.
type Power struct{ Total, GPU, CPU float64 }

// State is a module's temperatures in °C, its fan, and whether it throttles.
type State struct {
	Sink, GPU, CPU float64
	PWM            int     // duty cycle of the fan, 0 to FullPWM
	Manual         bool    // the fan service is off: PWM stays as written
	Fan            float64 // fan speed, 0 to 1
	Throttled      bool
	Events         int // number of times that throttling started
}

// kPerW returns the heat sink's resistance to air at a fan speed.
func (c Cooling) kPerW(fan float64) float64 {
	return c.BlownKPerW + (c.StillKPerW-c.BlownKPerW)*(1-fan)*(1-fan)
}

// drive returns the duty cycle that the fan service chooses.
func (c Cooling) drive(hottest float64) int {
	share := max(0, min(1, (hottest-c.FanFromC)/(c.FanFullC-c.FanFromC)))
	return c.FanIdlePWM + int(float64(FullPWM-c.FanIdlePWM)*share)
}

// Tau returns the time constant of the heat sink at a fan speed.
func (c Cooling) Tau(fan float64) time.Duration {
	return time.Duration(c.JPerK * c.kPerW(fan) * float64(time.Second))
}

// dies returns the steady-state temperatures of the dies.
func (c Cooling) dies(sink float64, p Power) (gpu, cpu float64) {
	return sink + c.DieKPerW*p.GPU, sink + c.DieKPerW*p.CPU
}

// At returns the steady state of a module at constant power without throttling.
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
