// Package tegra knows what a power mode of an NVIDIA Jetson is, which modes a
// board has, how each knob is read and set, and which rails add up to the
// module's power. It knows nothing of workloads, learning or screens.
//
//	device files ──► FS ──► Sysfs (Device) ──► Reading, Space, Board, Preset
//	Mode ──► guard (the only writer) ──► device files ──► read-back ──► Applied
package tegra
