package main

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/optimize"

	"jtune/tegra/virtual/physics"
)

// Weights of a fit. The loss is the mean of a rounded |ln(ours/measured)|, so that a sweep's outliers pull no harder
// than other rows.
const (
	rounding = 0.02 // below this error the loss is quadratic
	tether   = 2e-5 // pull towards the initial constants, per squared ln
	firm     = 3e-3 // the same for workloads with only a few known figures
	stride   = 5    // step through the rows, coprime to the length of every list
	headline = 0.4  // weight of published figures relative to a sweep
)

// constant is a number of the model that a fit may change: its logarithm, above a minimum.
type constant struct {
	at    *float64
	least float64
}

func (c constant) get() float64  { return math.Log(max(*c.at-c.least, 1e-9)) }
func (c constant) set(x float64) { *c.at = c.least + math.Exp(x) }

func positive(fields ...*float64) (out []constant) {
	for _, f := range fields {
		out = append(out, constant{at: f})
	}
	return out
}

// fit fits the constants: times of each measured workload, then the power of all of them together, then the workloads
// with only published figures.
func (m *model) fit(steps int) {
	var power []constant
	k := &m.chip
	power = positive(&k.Base, &k.GPULeak, &k.GPUClock, &k.GPUOn, &k.GPU.Floor, &k.GPU.Knee, &k.CoreIdle, &k.CoreTick,
		&k.CPU.Floor, &k.CPU.Knee, &k.EMCClock, &k.Spin, &k.Heat)
	power = append(power, constant{&k.GPU.Bend, 1}, constant{&k.CPU.Bend, 1})
	for _, f := range files {
		w := m.workload(f.workload)
		minimise(timeConstants(w), func() float64 {
			return m.sweepLoss(timeMS, f.workload) + headline*m.figureLoss(f.workload)
		}, tether, steps)
		power = append(power, powerConstants(w)...)
	}
	minimise(power, func() float64 {
		total := 0.0
		for _, f := range files {
			total += (m.sweepLoss(powerW, f.workload) + headline*m.figureLoss(f.workload)) / float64(len(files))
		}
		return total
	}, tether, steps)
	for _, name := range []string{"yolov8n", "bert"} {
		w := m.workload(name)
		minimise(append(timeConstants(w), powerConstants(w)...), func() float64 { return m.figureLoss(name) }, firm,
			steps)
	}
}

func timeConstants(w *physics.Workload) []constant {
	c := positive(&w.Kernel, &w.Traffic, &w.Fixed, &w.Launch, &w.LaunchMem, &w.Serial, &w.Fetch, &w.FetchMem,
		&w.Contention, &w.Thrash)
	return append(c, constant{&w.Roofline, 1}, constant{&w.Overlap, 1}, constant{&w.Jitter, 1})
}

func powerConstants(w *physics.Workload) []constant {
	return positive(&w.Switching, &w.CPUActive, &w.TransferJ)
}

func rounded(ours, want float64) float64 {
	e := math.Log(ours / want)
	return math.Sqrt(e*e+rounding*rounding) - rounding
}

// sweepLoss returns the mean loss over every stride-th row of a sweep.
func (m *model) sweepLoss(metric metric, workload string) float64 {
	w, rows, total, n := m.workload(workload), m.measured[workload], 0.0, 0.0
	for i := 0; i < len(rows); i += stride {
		want := rows[i].TimeMS
		if metric == powerW {
			want = rows[i].PowerW
		}
		total += rounded(metric.of(w.Steady(m.chip, physics.At(rows[i].Mode))), want)
		n++
	}
	return total / n
}

// figureLoss returns the mean loss over a workload's published values.
func (m *model) figureLoss(workload string) float64 {
	total, list := 0.0, m.published(workload)
	for _, p := range list {
		total += rounded(p.ours, p.value)
	}
	return total / float64(max(len(list), 1))
}

// minimise moves the constants to a local minimum of the loss.
func minimise(cs []constant, loss func() float64, tether float64, steps int) {
	start := make([]float64, len(cs))
	for i, c := range cs {
		start[i] = c.get()
	}
	f := func(x []float64) float64 {
		pull := 0.0
		for i, c := range cs {
			c.set(x[i])
			pull += (x[i] - start[i]) * (x[i] - start[i])
		}
		v := loss() + tether*pull
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		return v
	}
	problem := optimize.Problem{Func: f, Grad: func(grad, x []float64) {
		fd.Gradient(grad, f, x, &fd.Settings{Formula: fd.Central, Step: 1e-5})
	}}
	best := start
	for range 2 { // a second start renews the step matrix
		if result, _ := optimize.Minimize(problem, best,
			&optimize.Settings{MajorIterations: steps, GradientThreshold: 1e-6}, &optimize.BFGS{}); result != nil {
			best = result.X
		}
	}
	for i, c := range cs {
		c.set(best[i])
	}
}

// print writes the constants in the format of constants.toml.
func (m *model) print(out io.Writer) {
	fmt.Fprintf(out, "[[chip]]\n%s\n", fields(reflect.ValueOf(m.chip), "\n"))
	for _, w := range m.workloads {
		fmt.Fprintf(out, "\n[[workload]]\n%s\n", fields(reflect.ValueOf(w), "\n"))
	}
	fmt.Fprintln(out)
}

// fields formats a struct's non-zero fields with four digits each.
func fields(v reflect.Value, between string) string {
	var out []string
	for i := range v.NumField() {
		text := ""
		switch f := v.Field(i); {
		case f.IsZero():
			continue
		case f.Kind() == reflect.Float64:
			text = strconv.FormatFloat(f.Float(), 'g', 4, 64)
		case f.Kind() == reflect.Pointer:
			text = "{ " + fields(f.Elem(), ", ") + " }"
		case f.Kind() == reflect.Slice:
			text = strings.TrimPrefix(fmt.Sprintf("%#v", f.Interface()), "[]string")
			text = "[" + strings.Trim(text, "{}") + "]"
		case f.Kind() == reflect.Struct:
			text = "{ " + fields(f, ", ") + " }"
		default:
			text = fmt.Sprintf("%#v", f.Interface())
		}
		out = append(out, v.Type().Field(i).Name+" = "+text)
	}
	return strings.Join(out, between)
}
