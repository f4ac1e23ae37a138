package learn

import (
	"fmt"
	"slices"

	"jtune/tegra"
)

const (
	fewSamples     = 10 // per batch size, below, errors are well above those of a useful model
	fewSettings    = 20 // likewise with several
	handful        = 4  // below, a model is the prior and a level
	littleEvidence = 0.2
)

// describe adds the warnings to read before trusting the model.
func (m *Model) describe(t *fitter) {
	m.describeReference(t)
	if b, ok := m.predictor.(*banded); ok {
		if warning := b.Warning(); warning != "" {
			m.warn("%s", warning)
		}
	}
	if s, ok := m.surrogate(); ok {
		m.Suspicious = s.suspicious()
		if used := len(s.samples); used < len(m.Samples) {
			m.Suspicious = append(m.Suspicious, s.farFrom(m.Samples)...)
			m.warn("learned from a random %d of the %d measured modes, to keep predictions fast",
				used, len(m.Samples))
		}
	}
	m.Suspicious = slices.DeleteFunc(m.Suspicious, func(a tegra.Setting) bool {
		return slices.Contains(m.Repeated, a)
	})
	if doubt := m.Doubt(); doubt != "" {
		m.warn("%s", doubt)
	}
	m.describeSamples()
	if origin := m.Provenance.Origin(); origin != "" {
		m.warn("the samples come from a virtual board: %s", origin)
	}
}

func (m *Model) describeReference(t *fitter) {
	s, ok := m.surrogate()
	if !ok || t.residual == nil {
		return
	}
	time, power := s.ReferenceWeights()
	name := t.options.Reference.Name
	if max(time, power) < littleEvidence {
		m.warn("reference %s did not help: the samples do not share its deviations", name)
		return
	}
	m.Reference = fmt.Sprintf("%s, %d modes: counts %.0f %% in time, %.0f %% in power",
		name, t.residual.modes, 100*time, 100*power)
}

func (m *Model) describeSamples() {
	if !m.HasPower() {
		m.warn("power was not measured: the model knows time alone")
	}
	n, few := len(m.Samples), min(fewSettings, fewSamples*len(m.Batches))
	what := "measured " + tegra.NameOfSettings(m.Batches) + "s"
	switch {
	case n < handful:
		basis := "little more than their mean"
		if m.Method == GP {
			basis = "what other workloads do, moved to this level"
		}
		m.warn("only %s: predictions are %s; measure at least %d", count(n, "measured mode", what), basis, few)
	case n < few:
		m.warn("only %d %s: expect large errors away from them; measure at least %d", n, what, few)
	}
	for k := range tegra.NumKnobs {
		if v, fixed := m.neverVaried(k); fixed {
			m.warn("%s was %s in every measured mode: what its other %d settings do is a guess",
				k, v, len(m.Space.Values(k))-1)
		} else if words := m.extrapolated(k); words != "" {
			m.warn("%s", words)
		}
	}
	if n > 1 {
		for _, target := range []struct {
			name  string
			value func(tegra.Measured) float64
		}{
			{"time", func(s tegra.Measured) float64 { return s.TimeMS }},
			{"power", func(s tegra.Measured) float64 { return s.PowerW }},
		} {
			first := target.value(m.Samples[0])
			if !slices.ContainsFunc(m.Samples, func(s tegra.Measured) bool { return target.value(s) != first }) {
				m.warn("%s is exactly the same in all %d measured modes: are these measurements?", target.name, n)
			}
		}
	}
}

// neverVaried reports whether all samples have the same value of a knob that has others, and prints it.
func (m *Model) neverVaried(k tegra.Knob) (string, bool) {
	first := m.Samples[0].Mode.Value(k)
	if len(m.Space.Values(k)) < 2 ||
		slices.ContainsFunc(m.Samples, func(s tegra.Measured) bool { return s.Mode.Value(k) != first }) {
		return "", false
	}
	if k == tegra.KnobCores {
		return fmt.Sprint(first), true
	}
	return tegra.Freq(first).String(), true
}
