package session

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"jtune/internal/usage"
	"jtune/profiles/experiment"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/guard"
)

// FindMode reads a mode in the compact notation, or the name or id of one of the
// presets. Without an own check it may be one that needs a reboot.
func FindMode(text string, space *tegra.Space, presets []tegra.Preset) (tegra.Mode, error) {
	if p, ok := findPreset(text, presets); ok {
		return p.Mode, nil
	}
	if m, ok, err := studyMode(text, space); ok {
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

// studyMode is the mode of a label a to n of the 2022 study; ok: text is such a label.
func studyMode(text string, space *tegra.Space) (m tegra.Mode, ok bool, err error) {
	if len(text) != 1 || text[0] < 'a' || int(text[0]-'a') >= len(tegra.XavierStudy) {
		return m, false, nil
	}
	modes, _ := space.StudyModes()
	if m = modes[text[0]-'a']; !space.Contains(m) {
		err = usage.Errorf("mode %s of the study, %s, is not among the modes here", text, space.Format(m))
	}
	return m, true, err
}

func findPreset(text string, presets []tegra.Preset) (tegra.Preset, bool) {
	for _, p := range presets {
		if text == strconv.Itoa(p.ID) || presetName(text) == presetName(p.Name) {
			return p, true
		}
	}
	return tegra.Preset{}, false
}

// presetName makes "30W", "mode_30w" and "MODE_30W" alike.
func presetName(s string) string { return strings.TrimPrefix(strings.ToUpper(s), "MODE_") }

// FindMode is FindMode for this device, of modes that it can be set to now. It
// needs the whole space.
func (s *Session) FindMode(ctx context.Context, text string) (tegra.Mode, error) {
	if err := s.EnsureFullSpace(ctx); err != nil {
		return tegra.Mode{}, err
	}
	space, presets := s.Device.Space(), s.Device.Presets()
	if p, ok := findPreset(text, presets); ok && p.NeedsReboot {
		return p.Mode, fmt.Errorf("%w without a reboot: preset %s needs another GPU power gating: "+
			"set it with nvpmodel -m %d, or just its clocks with jtune apply %s",
			tegra.ErrUnsupported, p.Name, p.ID, space.Format(p.Mode))
	}
	return FindMode(text, space, presets)
}

// FindRequest is FindMode as something to be set: a preset, by its name or id, as that preset.
func (s *Session) FindRequest(ctx context.Context, text string) (tegra.Request, error) {
	m, err := s.FindMode(ctx, text)
	r := tegra.Request{Mode: m}
	if p, ok := findPreset(text, s.Device.Presets()); ok && err == nil {
		r.Preset = tegra.Some(p.ID)
	}
	return r, err
}

// Revert restores what a killed run left changed, else the state before the
// last mode that was applied.
func (s *Session) Revert(ctx context.Context) (tegra.Applied, error) {
	g, err := s.Guard(ctx)
	if err != nil {
		return tegra.Applied{}, err
	}
	if c, ok := g.(*guard.Client); ok && c.HasPending() {
		return c.RestorePending(ctx)
	}
	return TakeBack(ctx, g, true)
}

// ExperimentWorkload is the workload of that name, else the experiment's own, or
// where that does not fit the board the suggested one; none for an experiment that
// runs nothing.
func (s *Session) ExperimentWorkload(e experiment.Experiment, name string) (workload.Workload, error) {
	switch {
	case e.Workload == "" && name != "":
		return workload.Workload{}, usage.Errorf("experiment %s runs no workload", e.Name)
	case e.Workload == "":
		return workload.Workload{}, nil
	}
	if name != "" {
		return s.Workload(name)
	}
	w, err := s.Workload(e.Workload)
	if err == nil && s.Virtual != nil && s.Virtual.Fits(w.Name) != nil {
		list, err := s.Workloads()
		if err != nil {
			return w, err
		}
		return s.Workload(s.Suggested(list))
	}
	return w, err
}
