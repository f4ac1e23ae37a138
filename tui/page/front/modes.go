package front

import (
	"slices"
	"strings"

	"jtune/optimize/standing"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/widget"
)

// modes looks up what is known of a model's modes. A mode is given by its index in the space.
type modes struct{ *shared }

// standing compares a mode with the limit.
func (m modes) standing(i int) standing.Standing {
	return m.read.Standing(m.read.Outlook().Known[i].Mode)
}

// called returns what a mode is called: its preset, and whether its reading is in doubt.
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

// indexes returns the indexes of readings among all modes.
func (m modes) indexes(list []tegra.Measured) []int {
	var out []int
	for _, got := range list {
		if i, ok := m.read.Outlook().Index(got.Mode); ok {
			out = append(out, i)
		}
	}
	return out
}

// marks returns MAXN and the presets with a prediction, marked by their first digit or letter.
func (m modes) marks() []widget.CloudMark {
	v := m.read.Outlook()
	var out []widget.CloudMark
	top := m.read.Space().Max()
	if i, ok := v.Index(top); ok {
		out = append(out, widget.CloudMark{At: i, Glyph: 'M', Name: m.read.NameOf(top)})
	}
	for _, preset := range m.read.Presets() {
		mode := preset.ModeIn(m.read.Space())
		if i, ok := v.Index(mode); ok && mode != top {
			out = append(out, widget.CloudMark{At: i, Glyph: presetGlyph(preset), Name: preset.Name})
		}
	}
	return out
}

// presetGlyph returns the preset's ID if it is a digit.
func presetGlyph(preset tegra.Preset) rune {
	if preset.ID >= 0 && preset.ID <= 9 {
		return rune('0' + preset.ID)
	}
	return 'P'
}

// pending reports whether the predictions under the load are being computed.
func (m modes) pending() bool {
	return m.read.Goal().Load.Any() && m.read.Served() == nil
}

// loadTitle describes the load after the workload's name; "" for training.
func (m modes) loadTitle() string {
	if text := page.LoadText(m.read); text != "" || !m.job().Infers() {
		return text
	}
	return ", closed loop"
}

// sizesTo returns how many places a batch size is from the shown one.
func (m modes) sizesTo(batch int) int {
	all := m.read.Outlook().Batches()
	if at := slices.Index(all, batch); at >= 0 {
		return at - slices.Index(all, m.read.Outlook().Batch)
	}
	return 0
}

// verify measures a mode, then restores the board.
func (m modes) verify(i int) page.Intent {
	v := m.read.Outlook()
	return page.Measure(m.read, v.Workload, v.Known[i].Setting)
}
