package record

import (
	"jtune/internal/text"
	"jtune/tegra"
)

// FoundHeader is the device when the campaign began, as far as a choice from its rows needs it: choosing opens no
// device.
type FoundHeader struct {
	Mode    string         `toml:"mode,omitempty"` // cores,cpu_khz,gpu_hz,mem_hz; "": no mode means it
	Locked  *bool          `toml:"locked,omitempty"`
	Presets []PresetHeader `toml:"presets,omitempty"`
}

// PresetHeader is a preset of the vendor.
type PresetHeader struct {
	ID          int    `toml:"id"`
	Name        string `toml:"name"`
	Mode        string `toml:"mode"`
	NeedsReboot bool   `toml:"needs_reboot,omitempty"`
}

// NewFoundHeader describes a device's presets and how it is set.
func NewFoundHeader(presets []tegra.Preset, now tegra.Setup) *FoundHeader {
	h := &FoundHeader{}
	if now.Mode.OK {
		h.Mode = memberText(now.Mode.V)
	}
	if now.Locked.OK {
		h.Locked = &now.Locked.V
	}
	for _, p := range presets {
		h.Presets = append(h.Presets, PresetHeader{p.ID, p.Name, memberText(p.Mode), p.NeedsReboot})
	}
	return h
}

// Read returns what the header describes, without presets whose memory clock is not known; none of it in folders of
// older versions.
func (h *FoundHeader) Read() (presets []tegra.Preset, found tegra.Setup) {
	if h == nil {
		return nil, found
	}
	if mode, err := parseMember(h.Mode); err == nil {
		found.Mode = tegra.Some(mode)
	}
	if h.Locked != nil {
		found.Locked = tegra.Some(*h.Locked)
	}
	for _, p := range h.Presets {
		if mode, err := parseMember(p.Mode); err == nil {
			presets = append(presets, tegra.Preset{ID: p.ID, Name: text.Clip(p.Name), Mode: mode,
				NeedsReboot: p.NeedsReboot})
		}
	}
	return presets, found
}
