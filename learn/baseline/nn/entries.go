package nn

// Entries converts the measurements of each mode to training rows: the paper trains on individual minibatches, 40 per
// mode, not on their median. Power is sampled once a second, so the number of samples varies by mode; modes with fewer
// repeat theirs in turn, so that every mode has the same weight (PowerTrain, section 3.1). A mode without a measurement
// is omitted. The published sweeps contain only medians (Medians), one row per mode.
func Entries(modes [][inputs]float64, measured [][]float64) (x [][inputs]float64, y []float64) {
	most := 0
	for _, list := range measured {
		most = max(most, len(list))
	}
	for i, list := range measured {
		if len(list) == 0 {
			continue
		}
		for k := range most {
			x, y = append(x, modes[i]), append(y, list[k%len(list)])
		}
	}
	return x, y
}

// byMode lists the rows of each distinct input, in order of first appearance.
func byMode(x [][inputs]float64) [][]int {
	at := map[[inputs]float64]int{}
	var out [][]int
	for i, row := range x {
		k, ok := at[row]
		if !ok {
			k = len(out)
			at[row] = k
			out = append(out, nil)
		}
		out[k] = append(out[k], i)
	}
	return out
}
