package csvlines

import (
	"fmt"
	"math"
	"strconv"

	"jtune/tegra"
)

// Fields reads fields one after another and keeps the first error.
type Fields struct {
	Columns []string // their names
	List    []string
	At      int // the next
	Err     error
}

func (p *Fields) Fail(what string) {
	if p.Err == nil {
		p.Err = fmt.Errorf("%s cannot be read", what)
	}
}

func (p *Fields) Text() string {
	p.At++
	return p.List[p.At-1]
}

// Number reads a value that is finite and not negative.
func (p *Fields) Number() float64 {
	text := p.Text()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= math.MaxFloat64) {
		p.Fail(p.Columns[p.At-1])
		return 0
	}
	return v
}

// Optional is a number that may be absent.
func (p *Fields) Optional() tegra.Val[float64] {
	if p.List[p.At] == "" {
		p.At++
		return tegra.Val[float64]{}
	}
	return tegra.Some(p.Number())
}

// Share is an optional number in per cent.
func (p *Fields) Share() tegra.Val[float64] {
	v := p.Optional()
	v.V = math.Round(1e4*v.V) / 1e6
	return v
}

// Optionals parses n numbers that are either all present or all absent; nil if absent.
func (p *Fields) Optionals(n int) (list []float64) {
	for range n {
		if v := p.Optional(); v.OK {
			list = append(list, v.V)
		}
	}
	if len(list) != 0 && len(list) != n {
		p.Fail(p.Columns[p.At-n])
	}
	if len(list) < n {
		return nil
	}
	return list
}

// Whole parses a count or a clock; none on a Jetson reaches 1e12.
func (p *Fields) Whole() int64 {
	v, err := strconv.ParseInt(p.Text(), 10, 64)
	if err != nil || v < 0 || v > 1e12 {
		p.Fail(p.Columns[p.At-1])
		return 0
	}
	return v
}

func (p *Fields) Mode() tegra.Mode {
	return tegra.Mode{
		Cores: int(p.Whole()),
		CPU:   tegra.Freq(p.Whole()) * tegra.KHz,
		GPU:   tegra.Freq(p.Whole()),
		EMC:   tegra.Freq(p.Whole()),
	}
}
