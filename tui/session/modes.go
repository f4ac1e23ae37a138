package session

import (
	"context"
	"fmt"

	"jtune/tegra"
	"jtune/tegra/guard"
)

// FindMode is tegra.FindMode for this device, limited to modes that can be set now. It needs the full space.
func (s *Session) FindMode(ctx context.Context, text string) (tegra.Mode, error) {
	if err := s.EnsureFullSpace(ctx); err != nil {
		return tegra.Mode{}, err
	}
	space, presets := s.Device.Space(), s.Device.Presets()
	if u, ok := tegra.FindUnusable(text, s.Device.Board().Unusable); ok {
		return tegra.Mode{}, fmt.Errorf("preset %s cannot be set: %s: %w", u.Name, u.Why, tegra.ErrUnsupported)
	}
	if p, ok := tegra.FindPreset(text, presets); ok && p.NeedsReboot {
		return p.Mode, fmt.Errorf("%w without a reboot: preset %s needs different GPU power gating: "+
			"set it with nvpmodel -m %d, or just its clocks with jtune apply %s",
			tegra.ErrUnsupported, p.Name, p.ID, space.Format(p.Mode))
	}
	return tegra.FindMode(text, space, presets)
}

// FindRequest is FindMode as a request: a preset, by name or id, is requested as that preset.
func (s *Session) FindRequest(ctx context.Context, text string) (tegra.Request, error) {
	m, err := s.FindMode(ctx, text)
	r := tegra.Request{Mode: m}
	if p, ok := tegra.FindPreset(text, s.Device.Presets()); ok && err == nil {
		r.Preset = tegra.Some(p.ID)
	}
	return r, err
}

// Revert restores what a killed run left changed; otherwise the state before the last applied mode.
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
