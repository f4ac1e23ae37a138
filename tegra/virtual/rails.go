package virtual

import (
	"math"
	"time"

	"jtune/tegra/virtual/physics"
)

// The rails whose sum is the module's power, and the memory's, which is fed
// from the third and must not be added.
const (
	railGPU = iota
	railCPU
	railSys
	railRAM
	rails
	summed = railRAM // rails before this one add up
)

func split(p physics.Power) [rails]float64 { return [rails]float64{p.GPU, p.CPU, p.Sys, p.RAM} }

// The INA3221 as set up on an AGX Orin.
const (
	busStepMV   = 8                     // least significant bit of a voltage
	shuntStepMA = 20                    // 40 µV across 2 mΩ
	refresh     = 13 * time.Millisecond // of all channels
	highMV      = 19000                 // supply of the GPU and CPU rails
	lowMV       = 5000                  // 5 V supply
	sag         = 60                    // mV per 10 W
)

// measure is what a channel reports.
type measure struct{ milliVolt, milliAmp int64 }

// measured returns the channels' present values. With noise they scatter and are
// quantised as the chip does; without, they add up to the steady power to the
// microwatt once it has settled.
func (b *Board) measured() (m [rails]measure) {
	power, noise := b.powers(b.at), b.scatter()
	if noise == 0 && b.at-b.since >= settleEnd {
		return b.exact(power)
	}
	tick := uint64(b.at / refresh)
	activity := 1 + noise*activitySD*clamp(normal(b.seed, tick), 3)
	for i, w := range power {
		m[i] = channel(i, w*activity, noise, normal(b.seed, tick, uint64(i)+1))
	}
	return m
}

// channel turns watts into what the chip reports.
func channel(rail int, watt, noise, deviation float64) measure {
	volt := supply(rail, watt)
	amp := watt * 1e6 / float64(volt)
	if noise == 0 {
		return measure{volt, int64(math.Round(amp))}
	}
	amp += noise * sensorMA * clamp(deviation, 3)
	return measure{volt, max(0, shuntStepMA*int64(math.Round(amp/shuntStepMA)))}
}

// supply is a rail's voltage under load, mV.
func supply(rail int, watt float64) int64 {
	volt := highMV - 200.0
	if rail >= railSys {
		volt = lowMV - 20
	}
	volt -= min(sag*watt/10, 300)
	return busStepMV * int64(math.Round(volt/busStepMV))
}

// exact finds voltages and currents, whole mV and mA, whose products add up
// to the sum of the rails' powers to the microwatt.
func (b *Board) exact(power [rails]float64) (m [rails]measure) {
	m[railRAM] = channel(railRAM, power[railRAM], 0, 0)
	total := int64(math.Round(b.steady.totalW * 1e6))
	found, known := b.splits[total]
	if !known {
		found = decompose(total, power[railGPU]/(power[railGPU]+power[railCPU]), power[railSys])
		b.splits[total] = found
	}
	copy(m[:], found[:])
	return m
}

// decompose writes total (µW) as high·(i1+i2) + low·i3 with a voltage of about
// 19 V and one of about 5 V: i3 must make the rest divisible by high. i3 near
// the wanted share is preferred. What is too small for that is all on the 5 V
// rail, at one millivolt.
func decompose(total int64, gpuShare, sysWatt float64) [summed]measure {
	best, bestOff := [summed]measure{}, math.Inf(1)
	for high := int64(highMV - 200); high <= highMV+200; high++ {
		for low := int64(lowMV - 100); low <= lowMV+100; low++ {
			i3, ok := solve(total, low, high)
			if !ok || i3*low > total {
				continue
			}
			off := math.Abs(float64(i3*low)/1e6 - sysWatt)
			if off < bestOff {
				rest := (total - i3*low) / high
				gpu := int64(math.Round(float64(rest) * gpuShare))
				best, bestOff = [summed]measure{{high, gpu}, {high, rest - gpu}, {low, i3}}, off
			}
			if bestOff < 0.02*sysWatt {
				return best
			}
		}
	}
	if math.IsInf(bestOff, 1) {
		return [summed]measure{{highMV, 0}, {highMV, 0}, {1, total}}
	}
	return best
}

// solve returns the least i ≥ 0 with low·i ≡ total (mod high), if there is one.
func solve(total, low, high int64) (int64, bool) {
	inverse, divisor := invert(low%high, high)
	if divisor != 1 {
		return 0, false
	}
	return (total % high) * inverse % high, true
}

// invert returns x with a·x ≡ gcd (mod m), and the greatest common divisor.
func invert(a, m int64) (x, gcd int64) {
	r0, r1, x0, x1 := m, a, int64(0), int64(1)
	for r1 != 0 {
		q := r0 / r1
		r0, r1 = r1, r0-q*r1
		x0, x1 = x1, x0-q*x1
	}
	return (x0%m + m) % m, r0
}
