package reproduce

import (
	"fmt"
	"strconv"

	"jtune/learn"
	"jtune/learn/baseline/nn"
	"jtune/optimize/lab/bench"
	"jtune/profiles"
	"jtune/profiles/harness"
	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/telemetry"
	"jtune/tui/session/lab/rig"
)

// campaignModes is how many modes are profiled with all their minibatches: enough for a reference, according to
// reference-size.
const campaignModes = 500

// profiled is a campaign with every minibatch and power sample.
type profiled struct {
	modes []tegra.Mode
	times map[tegra.Mode][]float64 // ms, clean minibatches
	watts map[tegra.Mode][]float64
	truth []tegra.Measured // without noise
}

// raw collects the raw data of a campaign.
type raw struct{ *profiled }

func (r raw) Knobs(tegra.Setting, *record.Variant, tegra.Applied) error { return nil }

func (r raw) Minibatch(s tegra.Setting, e harness.Event, why string) error {
	if why == "" {
		r.times[s.Mode] = append(r.times[s.Mode], e.TimeMS)
	}
	return nil
}

func (r raw) Sample(s tegra.Setting, of telemetry.Sample) error {
	if w := of.PowerW(); w.OK {
		r.watts[s.Mode] = append(r.watts[s.Mode], w.V)
	}
	return nil
}

// campaign profiles ResNet-18 in random modes of the grid, as jtune lab profile does, on the virtual AGX Orin.
func (l *lab) campaign() (*profiled, error) {
	l.simulated = true
	if l.profile != nil {
		return l.profile, nil
	}
	b, d, err := l.board("agx-orin")
	if err != nil {
		return nil, err
	}
	out := &profiled{times: map[tegra.Mode][]float64{}, watts: map[tegra.Mode][]float64{}}
	measuring, err := rig.Measuring(b, "resnet18")
	if err != nil {
		return nil, err
	}
	defer measuring.Done()
	measuring.Raw = raw{out}
	n := campaignModes
	if l.Quick {
		n = campaignModes / 10
	}
	for _, m := range d.Space().Grid().Sample(n, l.Seed) {
		row, err := measuring.Measure(l.ctx, profiles.Step{Setting: tegra.Setting{Mode: m}})
		if err != nil {
			return nil, err
		}
		ms, watts, err := b.Truth(measuring.Workload.Name, m)
		if err != nil {
			return nil, err
		}
		if row.Status == record.OK && len(out.times[m]) > 0 && len(out.watts[m]) > 0 {
			out.modes = append(out.modes, m)
			out.truth = append(out.truth, tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms, PowerW: watts})
		}
	}
	l.profile = out
	return out, nil
}

// first returns the medians of the first minibatches of each mode.
func (p *profiled) first(minibatches int) (out []tegra.Measured) {
	for _, m := range p.modes {
		out = append(out, nn.Sample{Mode: m, TimesMS: p.times[m], PowersW: p.watts[m]}.First(minibatches).Median())
	}
	return out
}

// minibatchCounts are how many minibatches of a mode the sensitivity study uses.
var minibatchCounts = []int{10, 20, 30, 40}

// minibatches returns the errors of networks learned from the first 10 to 40 minibatches of each mode: time or power.
func (l *lab) minibatches(args []string) (out []float64, err error) {
	errors, err := l.minibatchErrors()
	for _, e := range errors {
		out = append(out, quantityOf(args[0], e[0], e[1]))
	}
	return out, err
}

// minibatchErrors returns the errors of time and power by minibatchCounts.
func (l *lab) minibatchErrors() (out [][2]float64, err error) {
	p, err := l.campaign()
	if err != nil {
		return nil, err
	}
	if l.sensitivity != nil {
		return l.sensitivity, nil
	}
	for _, n := range minibatchCounts {
		pair, err := nn.TrainPair(l.ctx, nn.Medians(p.first(n)), l.referenceConfig())
		if err != nil {
			return nil, err
		}
		r := &learn.Reference{Networks: &pair}
		out = append(out, [2]float64{pairError("time", r, p.truth), pairError("power", r, p.truth)})
	}
	l.sensitivity = out
	return out, nil
}

func (l *lab) minibatchTable() (Table, error) {
	errors, err := l.minibatchErrors()
	if err != nil {
		return Table{}, err
	}
	return errorTable(fmt.Sprintf("Networks learned from the first minibatches of %d modes, held against the modes' "+
		"true time and power", len(l.profile.modes)), "minibatches", minibatchCounts, errors, true), nil
}

// errorTable lists errors of time and power by a number; 0: all.
func errorTable(title, of string, numbers []int, errors [][2]float64, simulated bool) Table {
	t := Table{Title: title, Head: []string{of, "time error %", "power error %"}}
	for i, n := range numbers {
		item := strconv.Itoa(n)
		if n == 0 {
			item = "all"
		}
		t.Rows = append(t.Rows, Row{item, []string{number(errors[i][0]), number(errors[i][1])}, simulated})
	}
	return t
}

// referenceSizes returns how many modes a reference is learned from; 0: all. PowerTrain tried 500 to all.
func (l *lab) referenceSizes() []int {
	if l.Quick {
		return []int{quickModes / 6, quickModes / 2, quickModes}
	}
	return []int{500, 1000, 2000, 0}
}

// sizeErrors returns the errors of transfers from references of each size, on MobileNet.
func (l *lab) sizeErrors() (out [][2]float64, err error) {
	s, err := l.sweepOf(mobilenet)
	if err != nil {
		return nil, err
	}
	seeds := l.seeds(bench.PowerTrain, mobilenet)
	if l.bySize != nil {
		_, err := l.sweepOf(resnet)
		return l.bySize, err
	}
	for _, n := range l.referenceSizes() {
		r, err := l.reference(resnet, n)
		if err != nil {
			return nil, err
		}
		report, err := bench.Evaluate(l.ctx, bench.Options{Truth: s.measured, Reference: r, Sizes: []int{learnedModes},
			Methods: []string{bench.PowerTrain}, Seeds: seeds, Seed: l.Seed})
		if err != nil {
			return nil, err
		}
		row := report.Rows[0]
		out = append(out, [2]float64{row.TimeMAPEAllPct.V.Median, row.PowerMAPEAllPct.V.Median})
	}
	l.bySize = out
	return out, nil
}

// referenceSize returns how many points the error of a transfer changes from the smallest reference to all modes.
func (l *lab) referenceSize(args []string) ([]float64, error) {
	errors, err := l.sizeErrors()
	if err != nil {
		return nil, err
	}
	first, last := errors[0], errors[len(errors)-1]
	return []float64{quantityOf(args[0], last[0]-first[0], last[1]-first[1])}, nil
}

func (l *lab) referenceSizeTable() (Table, error) {
	errors, err := l.sizeErrors()
	if err != nil {
		return Table{}, err
	}
	return errorTable("Transfer of ResNet-18 to MobileNet, 50 modes, by the modes that the reference was learned from",
		"reference modes", l.referenceSizes(), errors, l.sweeps[mobilenet].simulated), nil
}
