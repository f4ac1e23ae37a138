// Package export writes power modes, and what is known of them, into files: for
// the line commands and for the screens alike.
//
//	modes, predictions ──► Mode, Bands (JSON), Fields (CSV)
//	predictions, measured ──► Cloud (the front of two axes) ──► SVG, CSV, JSON
//
// It opens no files and knows no devices. Absent values are null in JSON and
// empty in CSV.
package export

import (
	"encoding/json"
	"io"
	"math"
	"strconv"

	"jtune/learn"
	"jtune/optimize"
	"jtune/tegra"
)

// Mode is a power mode in every JSON document.
type Mode struct {
	Cores  int   `json:"cores"`
	CPUKHz int64 `json:"cpu_khz"`
	GPUHz  int64 `json:"gpu_hz"`
	MemHz  memHz `json:"mem_hz"`
}

// memHz is null where a preset means the top rate and root alone may read it.
type memHz int64

// MarshalJSON is json.Marshaler's.
func (f memHz) MarshalJSON() ([]byte, error) {
	if f == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(f))
}

// ModeOf is a mode as it is written.
func ModeOf(m tegra.Mode) Mode {
	return Mode{m.Cores, m.CPU.KHz(), int64(m.GPU), memHz(m.EMC)}
}

// Bands is a prediction per minibatch, with the ends of its 95 % bands, which
// are null for a measured value.
type Bands struct {
	TimeMS   Number `json:"time_ms"`
	TimeLo   Number `json:"time_lo_ms"`
	TimeHi   Number `json:"time_hi_ms"`
	PowerW   Number `json:"power_w"`
	PowerLoW Number `json:"power_lo_w"`
	PowerHiW Number `json:"power_hi_w"`
	EnergyJ  Number `json:"energy_j"`
}

// BandsOf is a prediction as it is written.
func BandsOf(p learn.Prediction) Bands {
	return Bands{Number(p.TimeMS), Number(p.TimeLoMS), Number(p.TimeHiMS), Number(p.PowerW), Number(p.PowerLoW), Number(p.PowerHiW), Number(p.EnergyJ())}
}

// Size is that of a minibatch, where it is an input beside the mode; nothing
// of it is written elsewhere.
type Size struct {
	Batch    int    `json:"batch,omitempty"`
	SampleMS Number `json:"time_per_sample_ms,omitempty"`
}

// SizeOf is the size of a point's minibatch as it is written.
func SizeOf(p optimize.Point) Size {
	if p.Batch == 0 {
		return Size{}
	}
	return Size{p.Batch, Number(p.SampleMS())}
}

// SizeColumn is the last column of CSV where the size of a minibatch is an input.
const SizeColumn = "bs"

// Point is a mode and what it is predicted to do.
type Point struct {
	Mode
	Bands
	Size
}

// PointOf is a prediction and its mode as they are written.
func PointOf(p learn.Prediction) Point {
	return Point{ModeOf(p.Mode), BandsOf(p), SizeOf(optimize.PredictedPoint(p))}
}

// KnobColumns and Columns head the CSV of KnobFields and Fields.
const (
	KnobColumns = "cores,cpu_khz,gpu_hz,mem_hz"
	Columns     = KnobColumns + ",time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w,energy_j"
)

// KnobFields are the fields of a mode, in kHz and Hz.
func KnobFields(m tegra.Mode) []string {
	return []string{strconv.Itoa(m.Cores), strconv.FormatInt(m.CPU.KHz(), 10), strconv.FormatInt(int64(m.GPU), 10), strconv.FormatInt(int64(m.EMC), 10)}
}

// Fields are the fields of a prediction.
func Fields(p learn.Prediction) []string {
	return append(KnobFields(p.Mode), Text(p.TimeMS), Text(p.TimeLoMS), Text(p.TimeHiMS), Text(p.PowerW), Text(p.PowerLoW), Text(p.PowerHiW), Text(p.EnergyJ()))
}

// Number prints as JSON null when it is no finite number.
type Number float64

// MarshalJSON is json.Marshaler's.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Text prints a value with six significant digits and no exponent; "" when it
// is no finite number.
func Text(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// WriteJSON writes one indented document.
func WriteJSON(to io.Writer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
