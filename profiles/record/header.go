package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/metric"
	"jtune/tegra/sweep"
)

// Header is campaign.toml: what was measured, on what, and how.
type Header struct {
	Format   int               `toml:"format"` // of the folder: 1
	Jtune    string            `toml:"jtune"`  // version
	Created  time.Time         `toml:"created"`
	Seed     uint64            `toml:"seed"`
	Device   DeviceHeader      `toml:"device"`
	Found    *FoundHeader      `toml:"found,omitempty"` // nil in folders of older versions
	Workload workload.Workload `toml:"workload"`
	Plan     PlanHeader        `toml:"plan"`
	// Search describes how the modes were requested; nil in folders of older versions and when the plan is enough.
	Search *SearchHeader `toml:"search,omitempty"`
	// Pair describes what was measured beside the inference workload; nil if nothing was.
	Pair     *PairHeader `toml:"pair,omitempty"`
	Settings Settings    `toml:"settings"`
}

// Asked is how a search looks for its answers: a part of its request, which the folder keeps to repeat it.
// Zero values are defaults.
type Asked struct {
	Strategy string  `toml:"strategy,omitempty"` // auto unless set
	Rotation string  `toml:"rotation,omitempty"` // of a binary search (see ladder.ParseRotation)
	Depth    string  `toml:"depth,omitempty"`    // quick unless set
	Risk     float64 `toml:"risk,omitempty"`     // chance of the answer to exceed a limit, at most; 0: metric.DefaultRisk
	Coverage string  `toml:"coverage,omitempty"` // of the Pareto front: limit unless set
	// Probes caps the measurements, start and verification included; with coverage front it is the number of modes
	// measured before the answer is chosen. 0: the strategy's own, or as many as a front needs.
	Probes    int    `toml:"probes,omitempty"`
	Reference string `toml:"reference,omitempty"` // "" or "none"; a name or a file
	Fresh     bool   `toml:"fresh,omitempty"`     // ignore everything known of the workload on this board
	Baseline  string `toml:"baseline,omitempty"`  // measured for comparison; "": the present mode and a preset
}

// SearchHeader holds what a search looked for besides its workload.
type SearchHeader struct {
	Asked
	metric.Questions
}

// String describes what was searched for, and how.
func (h SearchHeader) String() string {
	var goals []string
	for _, g := range h.Limits {
		if g != (metric.Goal{}) { // the load is the goal
			goals = append(goals, g.Words())
		}
	}
	list := given(h.Load, h.Asked)
	if goals != nil {
		list = append([]string{strings.Join(goals, ", then ")}, list...)
	}
	return strings.Join(list, ", ")
}

// given lists what parts of a request ask for besides defaults, by the names in the file; a part may be nil.
func given(parts ...any) (list []string) {
	for _, part := range parts {
		of := reflect.Indirect(reflect.ValueOf(part))
		for i := 0; of.IsValid() && i < of.NumField(); i++ {
			name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("toml"), ",")
			switch v := of.Field(i); {
			case v.IsZero():
			case v.Kind() == reflect.Bool:
				list = append(list, name)
			default:
				list = append(list, fmt.Sprint(name, " ", v))
			}
		}
	}
	return list
}

// ErrOtherJob means that the file of a campaign names another job than the one that is to continue it.
var ErrOtherJob = errors.New("the campaign there ran workload")

// headerFormat is the version of the folder's layout.
const headerFormat = 1

// DeviceHeader identifies the device and its space of modes.
type DeviceHeader struct {
	Name    string `toml:"name"`
	Model   string `toml:"model"`
	Module  string `toml:"module"`
	SoC     string `toml:"soc"`
	L4T     string `toml:"l4t"`
	JetPack string `toml:"jetpack"`
	Virtual bool   `toml:"virtual"` // a simulation or a replay, no measurement
	Replay  string `toml:"replay"`
	// Which identifies the device among others of its kind: the host name of a board, the name of a virtual one, the
	// content hash of a replayed file; "" in folders of older versions.
	Which  string  `toml:"which,omitempty"`
	Path   string  `toml:"replay_path,omitempty"` // location of the replayed file
	Total  string  `toml:"total_power_rule"`
	Cores  []int   `toml:"cores"`
	CPUKHz []int64 `toml:"cpu_khz"`
	GPUHz  []int64 `toml:"gpu_hz"`
	MemHz  []int64 `toml:"mem_hz"`
	// Rails are the board's rails when the campaign was created; none in folders of older versions.
	Rails []string `toml:"rails,omitempty"`
	// cores,cpu_khz,gpu_hz,mem_hz of each mode when not every combination exists
	Members []string `toml:"members,omitempty"`
}

// PlanHeader describes how the modes are selected; a resume must have the same selection.
type PlanHeader struct {
	// grid, list, sample, filter (all that pass it), modes (chosen as it goes), tune, front, verify, run,
	// experiment, import
	Kind   string `toml:"kind"`
	Modes  int    `toml:"modes"`
	Source string `toml:"source,omitempty"` // the list's file, the search's limit, …
	Filter string `toml:"filter,omitempty"` // filter of the modes to select from; "": all of the device
	Digest string `toml:"digest,omitempty"` // of a list's modes
	Shard  string `toml:"shard,omitempty"`  // i/n: only part i of n was measured
	// Batches are the batch sizes, ascending, when the campaign has several: each row then has
	// its own in column "bs", and Modes counts pairs of mode and batch size.
	Batches []int `toml:"batches,omitempty"`
	// Repeats is how often each of Modes is measured; 0: once.
	Repeats int `toml:"repeats,omitempty"`
	// Listed are the settings of a list, as SetList writes them: what remains to measure when its file is deleted.
	Listed []string `toml:"listed,omitempty"`
	// Limit is what a verification compares its readings with; nil: none.
	Limit *metric.Goal `toml:"limit,omitempty"`
	// PartOf is when the first campaign began (Header.Began) of a search that needs several; "" in the first.
	PartOf string `toml:"part_of,omitempty"`
}

// Began identifies a campaign by the time of its creation, which does not change when its folder is renamed.
func (h Header) Began() string { return h.Created.UTC().Format(time.RFC3339Nano) }

// Readings returns how many readings the plan requests.
func (p *PlanHeader) Readings() int { return p.Modes * max(1, p.Repeats) }

// mostListed is the most settings of a list that a header keeps; with these it stays far below the largest size that is
// read.
const mostListed = 10_000

// SetList keeps the settings of a list, unless there are too many.
func (p *PlanHeader) SetList(list []tegra.Setting) {
	if len(list) > mostListed {
		return
	}
	for _, at := range list {
		p.Listed = append(p.Listed, memberText(at.Mode)+","+strconv.Itoa(at.Batch))
	}
}

// List reads the settings that SetList kept; nil where none were.
func (p *PlanHeader) List() ([]tegra.Setting, error) {
	var out []tegra.Setting
	for _, text := range p.Listed {
		at := strings.LastIndexByte(text, ',')
		m, err := parseMember(text[:max(0, at)])
		n, bad := strconv.Atoi(text[at+1:])
		if err = errors.Join(err, bad); err != nil || n < 0 {
			return nil, fmt.Errorf("listed %q: want cores,cpu_khz,gpu_hz,mem_hz,batch size", text)
		}
		out = append(out, tegra.Setting{Mode: m, Batch: n})
	}
	return out, nil
}

// Recorded returns the batch sizes of settings as a header has them: none for a job's own.
func Recorded(list []tegra.Setting) []int {
	sizes := tegra.BatchSizes(list)
	if slices.Equal(sizes, tegra.Own) {
		return nil
	}
	return sizes
}

// Digest returns a fingerprint of a list of modes that does not depend on their order.
func Digest(modes []tegra.Mode) string {
	h := sha256.New()
	for _, m := range slices.Compact(slices.SortedFunc(slices.Values(modes), tegra.CompareModes)) {
		fmt.Fprintln(h, memberText(m))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// NewDeviceHeader describes a device.
func NewDeviceHeader(d tegra.Device) DeviceHeader {
	b := d.Board()
	h := DeviceHeader{Name: b.Name, Model: b.Model, Module: b.Module, SoC: b.SoC, L4T: b.L4T, JetPack: b.JetPack,
		Virtual: b.Virtual, Replay: b.Replay, Total: b.TotalRule, Rails: b.Rails}
	h.SetSpace(d.Space())
	return h
}

// Board returns the device as far as the header describes it.
func (h *DeviceHeader) Board() tegra.Board {
	return tegra.Board{Name: h.Name, Model: h.Model, Module: h.Module, SoC: h.SoC, L4T: h.L4T, JetPack: h.JetPack,
		TotalRule: h.Total, Virtual: h.Virtual, Replay: h.Replay}
}

func (h *DeviceHeader) SetSpace(s *tegra.Space) {
	h.Cores = s.Cores
	for _, f := range s.CPU {
		h.CPUKHz = append(h.CPUKHz, f.KHz())
	}
	for _, f := range s.GPU {
		h.GPUHz = append(h.GPUHz, int64(f))
	}
	for _, f := range s.EMC {
		h.MemHz = append(h.MemHz, int64(f))
	}
	if !s.Full() {
		for _, m := range s.All() {
			h.Members = append(h.Members, memberText(m))
		}
	}
}

func memberText(m tegra.Mode) string { return strings.Join(sweep.ModeFields(m), ",") }

// parseMember reads what memberText prints.
func parseMember(text string) (tegra.Mode, error) { return sweep.ParseMode(strings.Split(text, ",")) }

// Space rebuilds the device's space of modes.
func (h *DeviceHeader) Space() (*tegra.Space, error) {
	freqs := func(list []int64, unit tegra.Freq) []tegra.Freq {
		out := make([]tegra.Freq, len(list))
		for i, v := range list {
			out[i] = tegra.Freq(v) * unit
		}
		return out
	}
	s, err := tegra.NewSpace(h.Cores, freqs(h.CPUKHz, tegra.KHz), freqs(h.GPUHz, tegra.Hz), freqs(h.MemHz, tegra.Hz))
	if err == nil && len(h.Members) == 0 {
		err = s.Bounded()
	}
	if err != nil || len(h.Members) == 0 {
		return s, err
	}
	modes := make([]tegra.Mode, len(h.Members))
	for i, text := range h.Members {
		if modes[i], err = parseMember(text); err != nil {
			return nil, fmt.Errorf("member %q: %w", text, err)
		}
	}
	return s.Restrict(modes)
}

// Difference returns the first difference that shows that rows of two campaigns are not of one plan on one device, and
// what each of them has; "" if there is none.
func (h *Header) Difference(o Header) (what, there, here string) {
	text := func(v any) string { return fmt.Sprint(v) }
	for _, p := range [][3]string{
		{"device", h.Device.identity(), o.Device.identity()},
		{"L4T", h.Device.L4T, o.Device.L4T},
		{"set of power modes", h.Device.spaceText(), o.Device.spaceText()},
		{"workload", h.Workload.Name, o.Workload.Name},
		{"batch size", text(h.Workload.Batch), text(o.Workload.Batch)},
		{"seed", text(h.Seed), text(o.Seed)},
		{"selection", h.Plan.selection(), o.Plan.selection()},
	} {
		if p[1] != p[2] {
			return p[0], cmp.Or(p[1], "none"), cmp.Or(p[2], "none")
		}
	}
	return "", "", ""
}

// checkResume returns an error when a campaign with header o cannot continue h: rows must be of
// the same device, software, workload and selection.
func (h *Header) checkResume(o Header) error {
	if what, there, here := h.Difference(o); what != "" {
		return fmt.Errorf(
			"the campaign there has a different %s: %s there, %s here; give the same flags or another folder",
			what,
			there,
			here,
		)
	}
	if other := h.Workload.Otherwise(o.Workload); len(other) > 0 {
		return fmt.Errorf("%w %s with other settings: %s", ErrOtherJob, h.Workload.Name, strings.Join(other, ", "))
	}
	return h.Pair.checkResume(o.Pair)
}

func (h *DeviceHeader) identity() string {
	kind := ""
	switch {
	case h.Replay != "":
		kind = "replay of " + filepath.Base(h.Replay)
	case h.Virtual:
		kind = "virtual"
	}
	return strings.Join(
		slices.DeleteFunc([]string{h.Name, h.Model, h.Module, kind}, func(s string) bool { return s == "" }),
		", ",
	)
}

// spaceText describes a space in an error: its sizes and a fingerprint.
func (h *DeviceHeader) spaceText() string {
	sum := sha256.Sum256(fmt.Append(nil, h.Cores, h.CPUKHz, h.GPUHz, h.MemHz, h.Members))
	return fmt.Sprintf(
		"%d core counts, %d CPU, %d GPU, %d memory clocks (%x)",
		len(h.Cores),
		len(h.CPUKHz),
		len(h.GPUHz),
		len(h.MemHz),
		sum[:4],
	)
}

// selection lists what decides which modes are measured. The digest of a list identifies it, whatever its file is.
func (p PlanHeader) selection() string {
	if p.Digest != "" {
		p.Source = ""
	}
	p.Listed, p.Limit, p.PartOf = nil, nil, ""
	return strings.Join(given(p), ", ")
}
