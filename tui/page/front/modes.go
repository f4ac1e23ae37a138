package front

import (
	"slices"
	"strings"

	"jtune/optimize"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// modes reads what is known of the modes of a model. A mode is named by its index in the space.
type modes struct{ *shared }

// standing is where a mode stands against the limit.
func (m modes) standing(i int) optimize.Standing {
	return m.read.Standing(m.read.Outlook().Known[i].Mode)
}

// called is what a mode is known by: its preset, that its reading is in doubt.
func (m modes) called(i int) string {
	var words []string
	v := m.read.Outlook()
	mode := v.Known[i].Mode
	if name := m.read.NameOf(mode); name != "" {
		words = append(words, name)
	}
	if v.About(mode).Doubted.OK {
		words = append(words, "in doubt")
	}
	return strings.Join(words, " ")
}

// indexes returns the places of readings among all modes.
func (m modes) indexes(list []tegra.Measured) []int {
	var out []int
	for _, got := range list {
		if i, ok := m.read.Outlook().Index(got.Mode); ok {
			out = append(out, i)
		}
	}
	return out
}

// marks are MAXN and the presets that have a prediction, by their first digit
// or letter.
func (m modes) marks() []widget.CloudMark {
	v := m.read.Outlook()
	var out []widget.CloudMark
	top := m.read.Space().Max()
	if i, ok := v.Index(top); ok {
		out = append(out, widget.CloudMark{At: i, Glyph: 'M', Name: m.read.NameOf(top)})
	}
	for _, preset := range m.read.Presets() {
		if i, ok := v.Index(preset.Mode); ok && preset.Mode != top {
			out = append(out, widget.CloudMark{At: i, Glyph: presetGlyph(preset), Name: preset.Name})
		}
	}
	return out
}

// presetGlyph is the preset's id where that is a digit.
func presetGlyph(preset tegra.Preset) rune {
	if preset.ID >= 0 && preset.ID <= 9 {
		return rune('0' + preset.ID)
	}
	return 'P'
}

// pending reports whether it is being worked out what modes do under the load.
func (m modes) pending() bool {
	return m.read.Goal().Loaded() && m.read.Served() == nil
}

// loadTitle is what the page says of the load beside the workload's name; "" for training.
func (m modes) loadTitle() string {
	switch s := m.read.Served(); {
	case !m.job().Infers():
		return ""
	case s != nil:
		return ", " + s.Title()
	case m.pending():
		return ", working out the load …"
	}
	return ", closed loop"
}

// sizesTo is how many batch sizes further one is.
func (m modes) sizesTo(batch int) int {
	all := m.read.Outlook().Batches()
	if at := slices.Index(all, batch); at >= 0 {
		return at - slices.Index(all, m.read.Outlook().Batch)
	}
	return 0
}

// verify measures a mode and restores the board.
func (m modes) verify(i int) page.Intent {
	v := m.read.Outlook()
	return page.Measure(m.read, v.Workload, v.Known[i].Mode)
}
