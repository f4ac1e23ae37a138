package optimize

import (
	"fmt"
	"math"
	"slices"

	"jtune/internal/stats"
	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Limits on further quantities. A current or a power of a rail is judged as the module's power is, by a search of its
// own whose readings have it in place of power; a steady temperature follows from the module's power.

// further is the rule of a limit on one further quantity of one rail; its lnPower is the limit.
type further struct {
	*rule
	of    tegra.Value // metric and rail
	reads bool        // a reading of seconds shows it, and may exceed the limit
	doubt float64     // of ln power, beside the model's: no reading removes it, so that answers do not wait for it
}

// further returns the rules of the limits that time and power do not give.
func (s *search) further() (list []further) {
	for _, b := range s.limit.Limits.Further() {
		add := func(of *search, on string, limit float64) {
			r := &rule{search: of, belief: of.believe(), lnPower: math.Log(limit), lnTime: math.Inf(1)}
			r.risked = r.tails.quantile(1 - s.o.risk())
			list = append(list, further{r, tegra.Value{Metric: b.Key, On: on}, of != s, 0})
		}
		if b.Rail == nil {
			add(s, "", s.o.Heat.Watts(b.Value))
			list[len(list)-1].doubt = s.o.Heat.LnSD
			continue
		}
		for _, on := range s.rails(b) {
			add(s.standIn(tegra.Value{Metric: b.Key, On: on}), on, b.Value)
		}
	}
	return list
}

// rails returns the rails that a bound applies to, of those that were read.
func (s *search) rails(b metric.Bound) (names []string) {
	if b.On != "" {
		return []string{b.On}
	}
	for _, i := range s.order {
		for _, v := range s.mean(i).Further() {
			if v.Metric == b.Key && !slices.Contains(names, v.On) {
				names = append(names, v.On)
			}
		}
	}
	if names == nil { // before the first reading
		return []string{""}
	}
	slices.Sort(names)
	return names
}

// standIn returns the search whose readings have a further quantity in place of power, after the newest fit.
func (s *search) standIn(of tegra.Value) *search {
	before := s.standIns[of]
	if before != nil && before.beside == s.model {
		return before
	}
	o := *s
	o.beside, o.model, o.belief, o.tooMuch = s.model, nil, nil, nil
	if before != nil {
		o.model = before.model
	}
	as := func(m tegra.Measured) (tegra.Measured, bool) {
		v := m.Value(of.Metric, of.On)
		m.PowerW = v.V
		return m, v.OK
	}
	o.order, o.known, o.readings = nil, map[int]tegra.Measured{}, map[int][]tegra.Measured{}
	for _, i := range s.order {
		if m, ok := as(s.known[i]); ok {
			o.known[i] = m
		}
		for _, m := range s.readings[i] {
			if m, ok := as(m); ok {
				o.readings[i] = append(o.readings[i], m)
			}
		}
		if _, known := o.known[i]; known || o.readings[i] != nil {
			o.order = append(o.order, i)
		}
	}
	if err := o.fit(); err != nil {
		s.fitErr = fmt.Errorf("%s %s: %w", of.Metric, of.On, err)
	}
	if s.standIns == nil {
		s.standIns = map[tegra.Value]*search{}
	}
	s.standIns[of] = &o
	return &o
}

// know works out the predictions of settings, those of further quantities too.
func (r *rule) know(list []int) {
	r.belief.know(list)
	for _, o := range r.further {
		o.know(list)
	}
}

// keeps returns the chance that a setting keeps the further limits: now, or after a reading as far as the risk asks
// for.
func (r *rule) keeps(i int, after bool) float64 {
	in := 1.0
	for _, o := range r.further {
		limit := o.lnPower
		if after {
			limit -= o.risked * o.after(i, o.sdPower(i), o.errorP).left
		}
		in *= o.chancePower(i, limit)
	}
	return in
}

// doubtful returns the rule with what is not known of further quantities counted in their chances.
func (r *rule) doubtful() *rule {
	out := *r
	out.further = slices.Clone(r.further)
	for i, o := range out.further {
		of := *o.rule
		of.vague = o.doubt
		out.further[i].rule = &of
	}
	return &out
}

// furtherValues returns what is believed of a setting's further quantities.
func (r *rule) furtherValues(i int) (list []tegra.Value) {
	for _, o := range r.further {
		v := o.of
		if v.V, v.LnSD = math.Exp(o.lnP[i]), o.sdPower(i); !o.reads {
			v = r.o.Heat.At(v.V, r.sdPower(i))
		}
		list = append(list, v)
	}
	return list
}

// Further returns predictions with the further quantities that a goal limits, by models of their own that are fitted to
// the samples which have them. Temperatures follow from power.
func Further(preds []learn.Prediction, samples []tegra.Measured, g metric.Goal, heat metric.Heat,
	space *tegra.Space) ([]learn.Prediction, error) {
	bounds := g.Limits.Further()
	if len(bounds) == 0 {
		return preds, nil
	}
	preds = slices.Clone(preds)
	done := map[tegra.Value]bool{}
	for _, b := range bounds {
		if b.Rail == nil {
			for i, p := range preds {
				preds[i].Measured = p.With(heat.At(p.PowerW, p.LnPowerSD))
			}
			continue
		}
		of := map[string][]tegra.Measured{}
		for _, m := range samples {
			for _, v := range m.Further() {
				if at := (tegra.Value{Metric: b.Key, On: v.On}); v.Metric == b.Key && (b.On == "" || b.On == v.On) &&
					!done[at] && stats.Positive(v.V) {
					one := m
					one.PowerW = v.V
					of[v.On] = append(of[v.On], one)
				}
			}
		}
		for on, list := range of {
			at := tegra.Value{Metric: b.Key, On: on}
			done[at] = true
			model, err := learn.FitSurrogate(space, list, learn.SurrogateOptions{Grid: true, Unlike: true, Robust: 1,
				Batches: tegra.BatchSizes(tegra.SettingsOf(list))})
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", b.Title, on, err)
			}
			settings := make([]tegra.Setting, len(preds))
			for i, p := range preds {
				settings[i] = p.Setting
			}
			for i, p := range model.PredictSettings(settings) {
				at.V, at.LnSD = p.PowerW, p.LnPowerSD
				preds[i].Measured = preds[i].With(at)
			}
		}
	}
	return preds, nil
}
