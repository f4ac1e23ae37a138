package nvpmodel

import "jtune/internal/report"

// MarshalJSON prints the configuration, as `jtune lab convert nvpmodel` does; settings that a mode lacks are null.
func (c *Config) MarshalJSON() ([]byte, error) {
	params, modes, reboots := map[string]report.Object{}, []report.Object{}, [][2]int{}
	for _, p := range c.Params {
		args := []string{}
		for _, a := range p.Args {
			args = append(args, a.Name)
		}
		params[p.Name] = report.Object{{"type", p.Type}, {"args", args}}
	}
	for i, m := range c.Modes {
		on, off := c.Cores(m)
		var gpu, emc any
		if r, ok := c.GPU(m); ok {
			gpu = r
		}
		if v, ok := c.EMC(m); ok {
			emc = v
		}
		modes = append(modes, report.Object{{"id", m.ID}, {"name", m.Name}, {"cores_on", append([]int{}, on...)},
			{"cores_off", append([]int{}, off...)}, {"cpu_khz", c.CPU(m)}, {"gpu_hz", gpu}, {"emc_max_hz", emc},
			{"masks", c.Masks(m)}})
		for _, b := range c.Modes[i+1:] {
			if NeedsReboot(c.Masks(m), c.Masks(b)) {
				reboots = append(reboots, [2]int{m.ID, b.ID})
			}
		}
	}
	var fan any
	if c.FanDefault != "" {
		fan = c.FanDefault
	}
	return report.Object{{"default", c.Default}, {"fan_default", fan}, {"params", params}, {"modes", modes},
		{"mode_pairs_that_need_a_reboot", reboots}, {"errors", append([]Error{}, c.Errors...)}}.MarshalJSON()
}
