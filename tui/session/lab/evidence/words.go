package evidence

import (
	"fmt"
	"math"
	"strings"

	"jtune/internal/stats"
)

// Words compute figures in a laboratory L. The first word of a term names the function; it receives the other words and
// returns one or several values.
type Words[L any] map[string]func(lab L, args []string) ([]float64, error)

// Result computes and judges a figure.
func (w Words[L]) Result(lab L, f Figure) (r Result, err error) {
	r.Figure = f
	if f.Terms == "" {
		r.Lacks = f.Note
	} else if r.Values, err = w.Values(lab, f.Terms); err != nil {
		return r, err
	}
	r.Off, r.Verdict = f.Judge(r.Values)
	return r, nil
}

// Values evaluates terms: "A , B" gives both values, "A - B" and "A / B" their difference and ratio, "size-of" before a
// difference its absolute value, "mean-of" before a list its mean.
func (w Words[L]) Values(lab L, terms string) (out []float64, err error) {
	terms, mean := strings.CutPrefix(terms, "mean-of ")
	for term := range strings.SplitSeq(terms, " , ") {
		values, err := w.term(lab, term)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	if mean {
		out = []float64{stats.Mean(out)}
	}
	return out, nil
}

func (w Words[L]) term(lab L, term string) ([]float64, error) {
	term, size := strings.CutPrefix(term, "size-of ")
	for op, of := range map[string]func(a, b float64) float64{
		" - ": func(a, b float64) float64 { return a - b }, " / ": func(a, b float64) float64 { return a / b },
	} {
		left, right, ok := strings.Cut(term, op)
		if !ok {
			continue
		}
		a, err := w.term(lab, left)
		if err != nil {
			return nil, err
		}
		b, err := w.term(lab, right)
		if err != nil {
			return nil, err
		}
		v := of(a[0], b[0])
		if size {
			v = math.Abs(v)
		}
		return []float64{v}, nil
	}
	words := strings.Fields(term)
	work, ok := w[words[0]]
	if !ok {
		return nil, fmt.Errorf("no word %q", words[0])
	}
	return work(lab, words[1:])
}

// Check returns an error for the first unknown word in terms.
func (w Words[L]) Check(terms string) error {
	for list := range strings.SplitSeq(strings.TrimPrefix(terms, "mean-of "), " , ") {
		for part := range strings.SplitSeq(strings.TrimPrefix(list, "size-of "), " - ") {
			for term := range strings.SplitSeq(part, " / ") {
				if name, _, _ := strings.Cut(term, " "); name != "" && w[name] == nil {
					return fmt.Errorf("no word %q", name)
				}
			}
		}
	}
	return nil
}
