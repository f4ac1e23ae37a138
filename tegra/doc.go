// Package tegra describes the power modes of an NVIDIA Jetson: which modes a board has, how each knob is read and set,
// and which rails sum to the module power. It knows nothing of workloads, models or screens.
//
//	device files ──► FS ──► Sysfs (Device) ──► Reading, Space, Board, Preset
//	Mode ──► guard (the only writer) ──► device files ──► read-back ──► Applied
package tegra
