package preflight

import (
	"jtune/tegra"
	"jtune/telemetry/sources"
	"jtune/tui/session"
)

// Sources returns what a measurement follows besides its readings; guard holds its settings, nil: none was set.
func Sources(s *session.Session, guard tegra.Applier) sources.Funcs {
	out := sources.Funcs{Asleep: s.Clock.Asleep}
	if s.Sysfs() != nil {
		out.Settings = s.Sysfs().Planner().Settings
	}
	if s.Virtual == nil {
		out.Beside = func() (names []string) {
			for _, o := range Beside(s) {
				names = append(names, o.String())
			}
			return names
		}
	}
	if g, ok := guard.(interface{ Gone() bool }); ok {
		out.Guard = func() bool { return !g.Gone() }
	}
	return out
}
