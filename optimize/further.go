package optimize

import (
	"fmt"
	"math"
	"slices"

	"jtune/learn"
	"jtune/tegra"
	"jtune/tegra/metric"
)

// Limits on further quantities. A current or a power of a rail is judged as the module's power is, by a search of its
// own whose readings have it in place of power; a steady temperature follows from the module's power.

// further is the rule of a limit on one further quantity of one rail, as one of power.
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
			r := of.by(func(tegra.Measured) Terms { return Terms{MostMS: math.Inf(1), MostW: limit} })
			list = append(list, further{r, tegra.Value{Metric: b.Key, On: on}, of != s, 0})
		}
		if b.Slow {
			add(s, "", s.o.Heat.Watts(b.Value))
			list[len(list)-1].doubt = s.o.Heat.LnSD
			continue
		}
		rows, _ := s.samples()
		for _, on := range rails(b, rows) {
			add(s.standIn(tegra.Value{Metric: b.Key, On: on}), on, b.Value)
		}
	}
	return list
}

// rails returns the rails that a bound applies to, of those that were read.
func rails(b metric.Bound, rows []tegra.Measured) (names []string) {
	if b.On != "" {
		return []string{b.On}
	}
	for _, m := range rows {
		for _, v := range m.Further() {
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

// inPlaceOfPower returns the readings that have a further quantity, with it in place of power.
func inPlaceOfPower(of tegra.Value, rows ...tegra.Measured) (list []tegra.Measured) {
	for _, m := range rows {
		if v := m.Value(of.Metric, of.On); v.V > 0 {
			m.PowerW = v.V
			list = append(list, m)
		}
	}
	return list
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
	o.order, o.known, o.readings = nil, map[int]tegra.Measured{}, map[int][]tegra.Measured{}
	for _, i := range s.order {
		known, read := inPlaceOfPower(of, s.known[i]), inPlaceOfPower(of, s.readings[i]...)
		if known != nil {
			o.known[i] = known[0]
		}
		if read != nil {
			o.readings[i] = read
		}
		if known != nil || read != nil {
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
		limit := o.terms(i).lnPower
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

// value returns what is believed of a setting's further quantity.
func (o *further) value(i int) tegra.Value {
	v := o.of
	if v.V, v.LnSD = math.Exp(o.lnP[i]), o.sdPower(i); !o.reads {
		return o.o.Heat.At(v.V, v.LnSD)
	}
	return v
}

// with returns a prediction of a setting with what is believed of the further quantities.
func with(p learn.Prediction, list []further, i int) learn.Prediction {
	for _, o := range list {
		o.know([]int{i})
		p.Measured = p.With(o.value(i))
	}
	return p
}

// Further returns predictions with the further quantities that a goal limits, by models of their own that are fitted to
// the samples which have them. Temperatures follow from power.
func Further(preds []learn.Prediction, samples []tegra.Measured, g metric.Goal, heat metric.Heat,
	space *tegra.Space) ([]learn.Prediction, error) {
	preds = slices.Clone(preds)
	settings := make([]tegra.Setting, len(preds))
	for i, p := range preds {
		settings[i] = p.Setting
	}
	for _, b := range g.Limits.Further() {
		if b.Slow {
			for i, p := range preds {
				preds[i].Measured = p.With(heat.At(p.PowerW, p.LnPowerSD))
			}
			continue
		}
		for _, on := range rails(b, samples) {
			of := tegra.Value{Metric: b.Key, On: on}
			list := inPlaceOfPower(of, samples...)
			if list == nil {
				continue
			}
			model, err := learn.FitSurrogate(space, list, learn.SurrogateOptions{Grid: true, Unlike: true, Robust: 1})
			if err != nil {
				return nil, fmt.Errorf("%s of %s: %w", b.Title, on, err)
			}
			for i, p := range model.PredictSettings(settings) {
				of.V, of.LnSD = p.PowerW, p.LnPowerSD
				preds[i].Measured = preds[i].With(of)
			}
		}
	}
	return preds, nil
}
