package profiles

import (
	"time"

	"jtune/tegra"
)

// Header is campaign.toml: what was measured, on what, and how.
type Header struct {
	Jtune    string       `toml:"jtune"` // version
	Created  time.Time    `toml:"created"`
	Seed     uint64       `toml:"seed"`
	Device   DeviceHeader `toml:"device"`
	Workload Workload     `toml:"workload"`
	Plan     PlanHeader   `toml:"plan"`
	Settings Settings     `toml:"settings"`
}

// DeviceHeader identifies the device and its space of modes.
type DeviceHeader struct {
	Name    string   `toml:"name"`
	Model   string   `toml:"model"`
	Module  string   `toml:"module"`
	SoC     string   `toml:"soc"`
	L4T     string   `toml:"l4t"`
	JetPack string   `toml:"jetpack"`
	Virtual bool     `toml:"virtual"`
	Replay  string   `toml:"replay"`
	Total   string   `toml:"total_power_rule"`
	Cores   []int    `toml:"cores"`
	CPUKHz  []int64  `toml:"cpu_khz"`
	GPUHz   []int64  `toml:"gpu_hz"`
	MemHz   []int64  `toml:"mem_hz"`
	Members []string `toml:"members,omitempty"` // cores,cpu_khz,gpu_hz,mem_hz of each mode when not every combination exists
}

// PlanHeader tells how the modes are selected; a resume must ask the same.
type PlanHeader struct {
	Kind   string `toml:"kind"` // grid, list, sample, modes (chosen as it goes), tune
	Modes  int    `toml:"modes"`
	Source string `toml:"source,omitempty"` // the list's file, the filter, …
	Digest string `toml:"digest,omitempty"` // of a list's modes
}

// NewDeviceHeader describes a device.
func NewDeviceHeader(d tegra.Device) DeviceHeader { panic("not yet") }

// Space rebuilds the device's space of modes.
func (h DeviceHeader) Space() (*tegra.Space, error) { panic("not yet") }

// Record is a campaign's folder.
type Record struct{}

// Create makes a new campaign folder. The folder must not exist, or be empty.
func Create(dir string, h Header) (*Record, error) { panic("not yet") }

// Open opens a campaign folder to go on with it. A torn last line is cut;
// Notes says so.
func Open(dir string) (*Record, error) { panic("not yet") }

// OpenOrCreate is what profile --out DIR [--resume] asks for: a new folder,
// or with resume one that holds the same campaign as h.
func OpenOrCreate(dir string, h Header, resume bool) (*Record, error) { panic("not yet") }

// Read gives header and rows of a campaign folder without locking it.
func Read(dir string) (Header, []Row, error) { panic("not yet") }

// Header gives campaign.toml.
func (r *Record) Header() Header { panic("not yet") }

// Rows lists the finished modes in the order in which they were measured.
func (r *Record) Rows() []Row { panic("not yet") }

// Notes tells what was repaired on opening.
func (r *Record) Notes() []string { panic("not yet") }

// Dir is the folder.
func (r *Record) Dir() string { panic("not yet") }

// Append writes a row and syncs it to disk.
func (r *Record) Append(row Row) error { panic("not yet") }

// Close releases the folder.
func (r *Record) Close() error { panic("not yet") }

// Import turns a sweep file, under either header, into a campaign folder.
func Import(path, outDir string) error { panic("not yet") }
