package tegra

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"jtune/internal/usage"
)

// FindMode reads a mode in compact notation, or the name or id of a preset. It does not check whether the preset needs
// a reboot.
func FindMode(text string, space *Space, presets []Preset) (Mode, error) {
	if p, ok := FindPreset(text, presets); ok {
		return p.Mode, nil
	}
	if m, ok, err := StudyMode(text, space); ok {
		return m, err
	}
	m, err := space.Parse(text)
	if err != nil && !strings.Contains(text, "/") {
		var known []string
		for _, p := range presets {
			known = append(known, fmt.Sprintf("%s (%d)", p.Name, p.ID))
		}
		err = fmt.Errorf("%q is neither a mode such as 12c/2.20C/1.30G/3.20M nor a preset of this board: %s", text,
			cmp.Or(strings.Join(known, ", "), "–"))
	}
	if err != nil {
		err = usage.Of(err)
	}
	return m, err
}

// LabelNote says that a label a to n of the 2022 study is scaled to this board; "" if it is not, or text is no label.
func LabelNote(text string, space *Space) string {
	m, label, err := StudyMode(text, space)
	if _, like := space.StudyModes(); !label || !like || err != nil {
		return ""
	}
	return fmt.Sprintf("a to n are modes of an AGX Xavier: here each clock, and the cores, is at the same share "+
		"of its maximum, at the nearest step (%s is %s)", text, space.Format(m))
}

// StudyMode returns the mode of a label a to n of the 2022 study; ok reports whether text is such a label.
func StudyMode(text string, space *Space) (m Mode, ok bool, err error) {
	if len(text) != 1 || text[0] < 'a' || int(text[0]-'a') >= len(XavierStudy) {
		return m, false, nil
	}
	modes, _ := space.StudyModes()
	if m = modes[text[0]-'a']; !space.Contains(m) {
		err = usage.Errorf("mode %s of the study, %s, is not among the modes here", text, space.Format(m))
	}
	return m, true, err
}

// FindPreset finds a preset by name or id.
func FindPreset(text string, presets []Preset) (Preset, bool) {
	for _, p := range presets {
		if text == strconv.Itoa(p.ID) || presetName(text) == presetName(p.Name) {
			return p, true
		}
	}
	return Preset{}, false
}

// FindUnusable finds a mode that the board cannot be set to, by name or id.
func FindUnusable(text string, list []Unusable) (Unusable, bool) {
	for _, u := range list {
		if _, ok := FindPreset(text, []Preset{{ID: u.ID, Name: u.Name}}); ok {
			return u, true
		}
	}
	return Unusable{}, false
}

// presetName returns the same key for "30W", "mode_30w" and "MODE_30W".
func presetName(s string) string { return strings.TrimPrefix(strings.ToUpper(s), "MODE_") }
