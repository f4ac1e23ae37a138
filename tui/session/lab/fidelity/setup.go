package fidelity

import (
	"fmt"
	"strconv"
	"strings"

	"jtune/tegra"
)

// setup is the configuration of a figure for a board. The zero value is the unchanged workload in the fastest mode,
// after the first epoch.
type setup struct {
	board   string // instead of the figure's own
	medium  string // "": the board's usual one
	mode    string // a to n of tegra.XavierStudy, or low: the lowest that PowerTrain profiled; "": the fastest
	gpu     tegra.Freq
	workers tegra.Val[int]
	batch   int
	cold    bool // the first epoch
	free    bool // governors choose the clocks
	epochs  float64
	modes   float64 // number of modes, or the share of all if below 1
	watts   float64
}

// parseSetups parses "medium=hdd mode=a,b": one key may have several values, each of which is a setup.
func parseSetups(text string) ([]setup, error) {
	out := []setup{{}}
	for field := range strings.FieldsSeq(text) {
		key, list, _ := strings.Cut(field, "=")
		values := strings.Split(list, ",")
		if len(values) > 1 && len(out) > 1 {
			return nil, fmt.Errorf("%q: two keys with several values", text)
		}
		for len(out) < len(values) {
			out = append(out, out[0])
		}
		for i := range out {
			if err := out[i].set(key, values[min(i, len(values)-1)]); err != nil {
				return nil, fmt.Errorf("%s: %w", field, err)
			}
		}
	}
	return out, nil
}

func (s *setup) set(key, value string) (err error) {
	number := func(to *float64) { *to, err = strconv.ParseFloat(value, 64) }
	switch key {
	case "board":
		s.board = value
	case "medium":
		s.medium = value
	case "mode":
		s.mode = value
	case "gpu":
		var mhz float64
		number(&mhz)
		s.gpu = tegra.Freq(mhz * 1e6)
	case "workers":
		var n int
		n, err = strconv.Atoi(value)
		s.workers = tegra.Some(n)
	case "batch":
		s.batch, err = strconv.Atoi(value)
	case "epoch":
		s.cold = value == "0"
	case "clocks":
		s.free = value == "free"
	case "epochs":
		number(&s.epochs)
	case "modes":
		number(&s.modes)
	case "watts":
		number(&s.watts)
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return err
}
