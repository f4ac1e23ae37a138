package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"jtune/tegra"
)

// request is one line from the client.
type request struct {
	ID          int64     `json:"id"`
	Op          string    `json:"op"` // apply revert restore keep read recover
	Mode        *wireMode `json:"mode,omitempty"`
	DVFS        bool      `json:"dvfs,omitempty"`
	CPUGovernor string    `json:"cpu_governor,omitempty"`
	GPUGovernor string    `json:"gpu_governor,omitempty"`
	Fan         string    `json:"fan,omitempty"`    // "", auto, max
	Preset      *int      `json:"preset,omitempty"` // nvpmodel's id of the preset to set
	KeepAfterMS int64     `json:"keep_after_ms,omitempty"`
	Path        string    `json:"path,omitempty"` // for reading only: see tegra.RootOnly

	invalid error // why the line is not a request; Op is then opInvalid
}

const (
	opRead    = "read"
	opInvalid = "" // the line is not a request
)

// parseRequest reads one line.
func parseRequest(line []byte) request {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return request{invalid: fmt.Errorf("not a request: %w", err)}
	}
	if r.Op == opInvalid {
		r.invalid = errors.New(`not a request: no "op"`)
	}
	return r
}

// response is one line to the client: the answer to the request with that id, or an event (id 0).
type response struct {
	ID      int64        `json:"id,omitempty"`
	Event   string       `json:"event,omitempty"` // ready, failed, reverted, ended
	PID     int          `json:"pid,omitempty"`
	Pending bool         `json:"pending,omitempty"` // ready: a dead guard left an unrestored state
	Applied *wireApplied `json:"applied,omitempty"`
	Data    []byte       `json:"data,omitempty"`
	Code    string       `json:"code,omitempty"` // kind of error
	Error   string       `json:"error,omitempty"`
}

type wireMode struct {
	Cores int   `json:"cores"`
	CPU   int64 `json:"cpu_khz"`
	GPU   int64 `json:"gpu_hz"`
	EMC   int64 `json:"mem_hz"`
}

type wireApplied struct {
	Asked  *wireMode        `json:"asked,omitempty"`
	Actual *wireMode        `json:"actual,omitempty"`
	Files  []tegra.KnobFile `json:"files"`
}

// MaxKeepAfter is the longest countdown.
const MaxKeepAfter = 24 * time.Hour

func toWire(m tegra.Mode) *wireMode {
	return &wireMode{m.Cores, m.CPU.KHz(), int64(m.GPU), int64(m.EMC)}
}

func (w *wireMode) mode() tegra.Mode {
	if w == nil {
		return tegra.Mode{}
	}
	return tegra.Mode{Cores: w.Cores, CPU: tegra.Freq(w.CPU) * tegra.KHz, GPU: tegra.Freq(w.GPU),
		EMC: tegra.Freq(w.EMC)}
}

func toWireApplied(a tegra.Applied) *wireApplied {
	w := &wireApplied{Asked: toWire(a.Asked), Files: a.Files}
	if a.Actual.OK {
		w.Actual = toWire(a.Actual.V)
	}
	return w
}

func (w *wireApplied) applied() tegra.Applied {
	if w == nil {
		return tegra.Applied{}
	}
	a := tegra.Applied{Asked: w.Asked.mode(), Files: w.Files}
	if w.Actual != nil {
		a.Actual = tegra.Some(w.Actual.mode())
	}
	return a
}

var fanNames = map[string]tegra.FanPolicy{"": tegra.FanUntouched, "auto": tegra.FanAuto, "max": tegra.FanMax}

func fanName(p tegra.FanPolicy) string {
	for name, policy := range fanNames {
		if policy == p {
			return name
		}
	}
	return ""
}

// command converts the request for applying.
func (r *request) command() (tegra.Request, time.Duration, error) {
	fan, ok := fanNames[r.Fan]
	keep := time.Duration(r.KeepAfterMS) * time.Millisecond
	switch {
	case r.Mode == nil:
		return tegra.Request{}, 0, errors.New("apply: no mode given")
	case r.Mode.Cores <= 0 || r.Mode.CPU <= 0 || r.Mode.CPU > 1e9 || r.Mode.GPU <= 0 || r.Mode.EMC <= 0:
		return tegra.Request{}, 0, fmt.Errorf("apply: %+v is not a power mode", *r.Mode)
	case !ok:
		return tegra.Request{}, 0, fmt.Errorf("apply: unknown fan policy %q", r.Fan)
	case r.KeepAfterMS < 0 || r.KeepAfterMS > MaxKeepAfter.Milliseconds():
		return tegra.Request{}, 0, fmt.Errorf("apply: keep_after_ms %d is outside 0 to a day", r.KeepAfterMS)
	}
	out := tegra.Request{Mode: r.Mode.mode(), DVFS: r.DVFS, Fan: fan,
		Governors: tegra.Governors{CPU: r.CPUGovernor, GPU: r.GPUGovernor}}
	if r.Preset != nil {
		out.Preset = tegra.Some(*r.Preset)
	}
	return out, keep, nil
}

// codes transmit the kinds of errors that set an exit code.
var codes = map[string]error{
	"permission": tegra.ErrPermission, "no_device": tegra.ErrNoDevice, "unsupported": tegra.ErrUnsupported,
	"busy": ErrBusy, "reverted": ErrReverted, "nothing": ErrNothing,
}

func codeOf(err error) string {
	for code, kind := range codes {
		if errors.Is(err, kind) {
			return code
		}
	}
	return "failed"
}

func (r response) err() error {
	if r.Error == "" {
		return nil
	}
	return &remoteError{r.Error, codes[r.Code]}
}

// remoteError is an error from the guard with its kind.
type remoteError struct {
	text string
	kind error
}

func (e *remoteError) Error() string { return e.text }
func (e *remoteError) Unwrap() error { return e.kind }
