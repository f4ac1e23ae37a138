package virtual

import (
	"math"
	"time"

	"jtune/tegra/virtual/physics"
)

// rail is a connected channel of a power monitor.
type rail struct {
	label    string
	of       func(physics.Power) float64
	supplyMV float64
	stepMA   float64 // least significant bit
	supply   supply
}

// supply feeds a rail: its open-circuit voltage, and the resistance to the rail.
type supply struct{ openMV, milliOhm float64 }

// milliVolts returns the voltage of a rail that draws watt.
func (r rail) milliVolts(watt float64) float64 {
	if r.supply.milliOhm == 0 {
		return r.supplyMV - min(sag*watt/10, 300)
	}
	open, loss := r.supply.openMV, 4*r.supply.milliOhm*watt*1000 // from V = open - R·I and watt = V·I
	return (open + math.Sqrt(max(0, open*open-loss))) / 2
}

// The INA3221 of an AGX Orin, whose first three rails are the module's power.
const (
	busStepMV = 8                     // least significant bit of a voltage
	refresh   = 13 * time.Millisecond // of all channels
	highMV    = 19000                 // supply of the GPU and CPU rails
	lowMV     = 5000                  // 5 V supply
	sag       = 60                    // mV per 10 W
	summed    = 3
)

// perRegister is the time that a job loses per register read from a monitor: a tenth of the core time of the read, so
// that logging three rails costs less than 0.5 % every 100 ms and more than 2 % every 10 ms, as published.
const perRegister = 55 * time.Microsecond

// NVIDIA's fault for Options.Quirks on L4T 32: after 16 h of reading, power reads a share too low.
const (
	quirkAfter = 16 * time.Hour
	quirkShare = 0.15
)

// measure is the output of a channel.
type measure struct{ milliVolt, milliAmp int64 }

// polled charges the job for reading registers of a rail's monitor, and returns the rail's values.
func (b *Board) polled(rail, registers int) measure {
	b.lost += time.Duration(registers) * perRegister
	if b.readSince == 0 {
		b.readSince = b.at + 1
	}
	return b.measured()[rail]
}

// measured returns the current values of the rails. With noise they scatter and are quantised like the chip's; without,
// an AGX Orin's sum to the settled steady power to the microwatt.
func (b *Board) measured() []measure {
	power, noise := b.powers(b.at), b.scatter()
	tick := uint64(b.at / refresh)
	activity := 1 + noise*activitySD*clamp(normal(b.seed, tick), 3)
	if b.quirky && b.readSince > 0 && b.at-b.readSince >= quirkAfter {
		activity *= 1 - quirkShare
	}
	m := make([]measure, len(b.rails))
	for i, r := range b.rails {
		m[i] = r.channel(r.of(power)*activity, noise, normal(b.seed, tick, uint64(i)+1))
	}
	if noise == 0 && b.at-b.since >= settleEnd && b.model.name == AGXOrin {
		exact := b.exact(power)
		copy(m, exact[:])
	}
	return m
}

// channel converts watts to the chip's output.
func (r rail) channel(watt, noise, deviation float64) measure {
	volt := busStepMV * int64(math.Round(r.milliVolts(watt)/busStepMV))
	amp := watt * 1e6 / float64(volt)
	if noise == 0 {
		return measure{volt, int64(math.Round(amp))}
	}
	amp += noise * sensorMA * clamp(deviation, 3)
	return measure{volt, max(0, int64(r.stepMA*math.Round(amp/r.stepMA)))}
}

// exact finds voltages and currents, whole mV and mA, whose products sum to the module's power to the microwatt.
func (b *Board) exact(power physics.Power) [summed]measure {
	total := int64(math.Round(b.steady.totalW * 1e6))
	found, known := b.splits[total]
	if !known {
		found = decompose(total, power.GPU/(power.GPU+power.CPU), power.Sys)
		b.splits[total] = found
	}
	return found
}

// decompose writes total (µW) as high·(i1+i2) + low·i3 with voltages of about 19 V and 5 V: i3 must make the rest
// divisible by high. It prefers i3 near the wanted share. Loads too small for that are all on the 5 V rail, at one
// millivolt.
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

// solve returns the smallest i ≥ 0 with low·i ≡ total (mod high), if there is one.
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
