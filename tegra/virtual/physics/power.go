package physics

import "math"

// Power is a module's power by supply, in watts.
type Power struct {
	GPU float64 // GPU and SoC supply
	SoC float64 // part of GPU: the rest of the chip
	CPU float64 // CPU supply
	Sys float64 // 5 V supply: memory, I/O, regulators
	RAM float64 // part of Sys: memory alone
}

// Total returns the module's power.
func (p Power) Total() float64 { return p.GPU + p.CPU + p.Sys }

// Scale multiplies each part.
func (p Power) Scale(x float64) Power {
	return Power{GPU: p.GPU * x, SoC: p.SoC * x, CPU: p.CPU * x, Sys: p.Sys * x, RAM: p.RAM * x}
}

// Toward interpolates from p to q: share 0 is p, 1 is q.
func (p Power) Toward(q Power, share float64) Power {
	to := func(a, b float64) float64 { return a + share*(b-a) }
	return Power{GPU: to(p.GPU, q.GPU), SoC: to(p.SoC, q.SoC), CPU: to(p.CPU, q.CPU), Sys: to(p.Sys, q.Sys),
		RAM: to(p.RAM, q.RAM)}
}

// Curve is a supply's voltage against its clock, relative to the voltage at Top: Floor up to Knee (GHz), then rising to
// 1 with exponent Bend.
type Curve struct{ Floor, Knee, Bend, Top float64 }

func (v Curve) at(ghz float64) float64 {
	if ghz <= v.Knee {
		return v.Floor
	}
	return v.Floor + (1-v.Floor)*math.Pow((ghz-v.Knee)/(v.Top-v.Knee), v.Bend)
}

// Chip holds a module's constants, the same for every workload. Power in watts, W/GHz at full voltage, clocks in GHz.
// Scales are relative to an AGX Orin.
type Chip struct {
	Name  string
	Older bool // software stack with PyTorch 1.8, see Workload.Older

	GPUScale  float64 // arithmetic time at the same clock: 2048 / CUDA cores
	MemScale  float64 // memory traffic time at the same clock: 256 / bus width in bits, and efficiency
	CPUSpeed  float64 // per core at the same clock
	TopCPU    float64 // GHz
	Launch    float64 // CPU work of the stack for launching and passing data
	Latency   float64 // of memory at the same clock
	Coupled   float64 // share of the latency that depends on the CPU clock
	Disturbed float64 // slowdown of launching by loader processes
	Reclaim   float64 // slowdown of loading by freeing pages
	Threads   float64 // threads other than loaders that need a core
	Sharing   float64 // relative power of threads without a core

	Base     float64 // independent of knobs
	GPULeak  float64 // GPU and SoC at full voltage
	GPUClock float64 // W/GHz: clock tree
	GPUOn    float64 // additional W/GHz while kernels execute
	Switch   float64 // energy of arithmetic, relative
	GPU      Curve
	CoreIdle float64 // per online core at full voltage
	CoreTick float64 // W/GHz per online core
	CoreWork float64 // power of a busy core
	CPU      Curve
	EMCClock float64 // W/GHz²
	Transfer float64 // energy of memory traffic, relative
	Spin     float64 // cores polling while kernels execute
	// Background is the system's own CPU work, in core·GHz: with few slow cores it uses most of their capacity.
	Background float64
	Heat       float64 // 1/W: leakage that grows with the remaining heat
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

// gatedShare is the GPU leakage left when its supply is gated off.
const gatedShare = 0.3

// Idle returns the power with nothing running; gated: the GPU is off. Recorded idle AGX Orins draw 7 to 9 W.
func (k Chip) Idle(c Conditions, gated bool) Power {
	if gated {
		k.GPULeak *= gatedShare
		k.GPUClock = 0
	}
	return k.power(Workload{CPUActive: 0.35}, c, Steps{TimeMS: 1, CPUBusy: 0.1})
}
