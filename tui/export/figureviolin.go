package export

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"jtune/internal/axis"
	"jtune/internal/figure"
	"jtune/internal/stats"
)

// violinSteps is the number of pieces of a violin's outline.
const violinSteps = 48

// violins draws the density of each row's values: an outline from a Gaussian kernel of Silverman's width.
func (d *drawing) violins(r frame, p figure.Panel, s figure.Series) {
	rows := s.ByRow()
	for _, row := range slices.Sorted(maps.Keys(rows)) {
		values := rows[row]
		lo, hi, mean := slices.Min(values), slices.Max(values), stats.Mean(values)
		if !axis.Finite(hi - lo) {
			continue
		}
		spread := 0.0
		for _, v := range values {
			spread += (v - mean) * (v - mean) / float64(len(values))
		}
		wide := 1.06 * math.Sqrt(spread) * math.Pow(float64(len(values)), -0.2)
		if wide == 0 { // all values are equal
			d.lane(r, p, figure.Ticks, figure.In(row, mean))
			continue
		}
		heights, most := make([]float64, violinSteps+1), 0.0
		at := func(k int) float64 { return lo + (hi-lo)*float64(k)/violinSteps }
		for k := range heights {
			for _, v := range values {
				heights[k] += math.Exp(-(at(k) - v) * (at(k) - v) / (2 * wide * wide))
			}
			most = max(most, heights[k])
		}
		y, up, down := r.top+svgRow*(float64(row)+0.5), "", ""
		for k, h := range heights {
			x, _ := r.x(r.across.Into(at(k)))
			half := svgRow * 0.45 * h / most
			up += fmt.Sprintf(" %.1f %.1f", x, y-half)
			down = fmt.Sprintf(" %.1f %.1f", x, y+half) + down
		}
		d.add(`<path d="M%s L%s Z" fill="%s" stroke="%s"/>`, up, down, svgBand, svgText)
		d.lane(r, p, figure.Ticks, figure.In(row, stats.Median(values)))
	}
}
