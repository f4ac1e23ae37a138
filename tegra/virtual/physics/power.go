package physics

import "math"

// Power is a module's draw by supply, in watts.
type Power struct {
	GPU float64 // GPU and SoC supply
	SoC float64 // of GPU: what the rest of the chip takes
	CPU float64 // CPU supply
	Sys float64 // 5 V supply: memory, I/O, regulators
	RAM float64 // of Sys: memory alone
}

// Total is the module's draw.
func (p Power) Total() float64 { return p.GPU + p.CPU + p.Sys }

// Scale multiplies each part.
func (p Power) Scale(x float64) Power {
	return Power{GPU: p.GPU * x, SoC: p.SoC * x, CPU: p.CPU * x, Sys: p.Sys * x, RAM: p.RAM * x}
}

// Toward is p moved towards q by a share: 0 is p, 1 is q.
func (p Power) Toward(q Power, share float64) Power {
	to := func(a, b float64) float64 { return a + share*(b-a) }
	return Power{GPU: to(p.GPU, q.GPU), SoC: to(p.SoC, q.SoC), CPU: to(p.CPU, q.CPU), Sys: to(p.Sys, q.Sys),
		RAM: to(p.RAM, q.RAM)}
}

// Curve is a supply's voltage over its clock, relative to the voltage at Top:
// Floor up to Knee (GHz), from there rising to 1 with the power Bend.
type Curve struct{ Floor, Knee, Bend, Top float64 }

func (v Curve) at(ghz float64) float64 {
	if ghz <= v.Knee {
		return v.Floor
	}
	return v.Floor + (1-v.Floor)*math.Pow((ghz-v.Knee)/(v.Top-v.Knee), v.Bend)
}

// Chip holds a module's constants, alike for every workload. Power in watts,
// W/GHz at full voltage, clocks in GHz. Scales are against an AGX Orin.
type Chip struct {
	Name  string
	Older bool // its software stack is PyTorch 1.8, see Workload.Older

	GPUScale  float64 // time of arithmetic at the same clock: 2048 over the CUDA cores
	MemScale  float64 // time of memory traffic at the same clock: 256 over the bits of the bus, and efficiency
	CPUSpeed  float64 // of a core at the same clock
	TopCPU    float64 // GHz
	Launch    float64 // the stack's CPU work of launching and handing over
	Latency   float64 // of memory at the same clock
	Coupled   float64 // share of the latency that follows the CPU's clock
	Disturbed float64 // by how much loader processes slow launching down
	Reclaim   float64 // by how much freeing pages slows loading down
	Threads   float64 // threads besides the loaders that want a core
	Sharing   float64 // power of the share of threads that lack one

	Base     float64 // what no knob changes
	GPULeak  float64 // GPU and SoC at full voltage
	GPUClock float64 // W/GHz: clock tree
	GPUOn    float64 // W/GHz more while kernels execute
	Switch   float64 // energy of a workload's arithmetic
	GPU      Curve
	CoreIdle float64 // per online core at full voltage
	CoreTick float64 // W/GHz per online core
	CoreWork float64 // power of a busy core
	CPU      Curve
	EMCClock float64 // W/GHz²
	Transfer float64 // energy of a workload's memory traffic
	Spin     float64 // cores' worth of polling while kernels execute
	// Background is the system's own CPU work, in core·GHz: with few slow cores
	// it is most of what there is.
	Background float64
	Heat       float64 // 1/W: leakage that grows with the heat of the rest
}

func (k *Chip) power(w Workload, c Conditions, s Steps) Power {
	vg, vc := k.GPU.at(c.GPU), k.CPU.at(c.CPU)
	vg, vc = vg*vg, vc*vc
	var p Power
	p.SoC = 0.3 * k.Base
	p.GPU = p.SoC + k.GPULeak*vg + (k.GPUClock+k.GPUOn*s.GPUBusy)*c.GPU*vg +
		k.Switch*w.Switching*w.Kernel/s.TimeMS*vg
	p.CPU = float64(c.Cores)*(k.CoreIdle+k.CoreTick*c.CPU)*vc + s.CPUBusy*k.CoreWork*w.CPUActive*c.CPU*vc
	p.RAM = 0.1*k.Base + k.EMCClock*c.EMC*c.EMC + k.Transfer*w.TransferJ/s.TimeMS
	p.Sys = p.RAM + 0.6*k.Base
	return p.Scale(1 + k.Heat*p.Total())
}

// gatedShare of the GPU's leakage stays when its supply is gated off.
const gatedShare = 0.3

// Idle is the draw with nothing running; gated: the GPU is switched off.
// Recorded idle AGX Orins draw 7 to 9 W.
func (k Chip) Idle(c Conditions, gated bool) Power {
	if gated {
		k.GPULeak *= gatedShare
		k.GPUClock = 0
	}
	return k.power(Workload{CPUActive: 0.35}, c, Steps{TimeMS: 1, CPUBusy: 0.1})
}
