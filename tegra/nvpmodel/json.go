package nvpmodel

import "encoding/json"

// JSON types of `jtune lab convert nvpmodel`.
type (
	jsonConfig struct {
		Default    *int                 `json:"default"`
		FanDefault *string              `json:"fan_default"`
		Params     map[string]jsonParam `json:"params"`
		Modes      []jsonMode           `json:"modes"`
		Reboots    [][2]int             `json:"mode_pairs_that_need_a_reboot"`
		Errors     []Error              `json:"errors"`
	}
	jsonParam struct {
		Type string   `json:"type"`
		Args []string `json:"args"`
	}
	jsonMode struct {
		ID       int              `json:"id"`
		Name     string           `json:"name"`
		CoresOn  []int            `json:"cores_on"`
		CoresOff []int            `json:"cores_off"`
		CPU      map[string]Range `json:"cpu_khz"`
		GPU      *Range           `json:"gpu_hz"`
		EMC      *int64           `json:"emc_max_hz"`
		Masks    map[string]int64 `json:"masks"`
	}
)

// MarshalJSON prints the configuration; settings that a mode lacks are null.
func (c *Config) MarshalJSON() ([]byte, error) {
	out := jsonConfig{Default: c.Default, Params: map[string]jsonParam{}, Modes: []jsonMode{}, Reboots: [][2]int{},
		Errors: []Error{}}
	if c.FanDefault != "" {
		out.FanDefault = &c.FanDefault
	}
	for _, p := range c.Params {
		args := []string{}
		for _, a := range p.Args {
			args = append(args, a.Name)
		}
		out.Params[p.Name] = jsonParam{p.Type, args}
	}
	for _, m := range c.Modes {
		out.Modes = append(out.Modes, c.jsonMode(m))
	}
	for i, a := range out.Modes {
		for _, b := range out.Modes[i+1:] {
			if NeedsReboot(a.Masks, b.Masks) {
				out.Reboots = append(out.Reboots, [2]int{a.ID, b.ID})
			}
		}
	}
	out.Errors = append(out.Errors, c.Errors...)
	return json.Marshal(out)
}

func (c *Config) jsonMode(m Mode) jsonMode {
	out := jsonMode{ID: m.ID, Name: m.Name, CoresOn: []int{}, CoresOff: []int{}, CPU: c.CPU(m), Masks: c.Masks(m)}
	on, off := c.Cores(m)
	out.CoresOn, out.CoresOff = append(out.CoresOn, on...), append(out.CoresOff, off...)
	if r, ok := c.GPU(m); ok {
		out.GPU = &r
	}
	if v, ok := c.EMC(m); ok {
		out.EMC = &v
	}
	return out
}
