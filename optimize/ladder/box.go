package ladder

import "jtune/tegra"

// Box is the remaining range of each list: rungs Lo to Hi.
type Box struct{ Lo, Hi Rungs }

// Single reports whether one value is left of each knob.
func (b *Box) Single() bool { return b.Lo == b.Hi }

// Left returns the number of values left of each knob.
func (b *Box) Left() (n Rungs) {
	for k := range n {
		n[k] = b.Hi[k] - b.Lo[k] + 1
	}
	return n
}

// Middle returns the lower middle value of each knob.
func (b *Box) Middle() (mid Rungs) {
	for k := range mid {
		mid[k] = (b.Lo[k] + b.Hi[k]) / 2
	}
	return mid
}

// Drop removes the lower half of a knob, including the middle, or the higher half, without the middle.
func (b *Box) Drop(k tegra.Knob, lower bool) {
	mid := (b.Lo[k] + b.Hi[k]) / 2
	if lower {
		b.Lo[k] = mid + 1
	} else {
		b.Hi[k] = mid
	}
}
