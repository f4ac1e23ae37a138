package dialog

import (
	"jtune/tui/page"
	"jtune/tui/session"
	"jtune/tui/session/reboot"
)

// AskToKeep asks whether the preset that came up after a reboot becomes the boot default; nil if none waits for an
// answer.
func AskToKeep(s *session.Session) page.Intent {
	r, err := reboot.OnTrial(s)
	if err != nil || r == nil || len(r.Then) > 0 {
		return nil
	}
	return AskToKeepBy(r.Presets[0].Name, func() error {
		_, err := reboot.Keep(s)
		return err
	})
}

// AskToKeepBy is AskToKeep for a preset that a function keeps.
func AskToKeepBy(preset string, keep func() error) page.Intent {
	return page.Ask{Do: "keep " + preset, Not: "not now", Why: "it came up after the reboot; without a yes the board " +
		"boots back", Then: page.ChangeBoot{Do: keep, Done: "kept: nvpmodel sets " + preset + " at every boot"}}
}
