package tegra

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// EngineReading is a unit beside the GPU: NVENC, NVDEC, DLA0, VIC.
type EngineReading struct {
	Name  string
	OnPct Val[float64] // share of the time since the last reading that it was powered; absent at the first one
}

// engine is a unit whose driver powers it while it works. The kernel counts the milliseconds (runtime_active_time, read
// by anybody). A unit stays on for a moment after its work, so the share is an upper bound of its load.
type engine struct {
	*source
	name   string
	on     int64 // at the last reading, ms
	at     time.Duration
	looked bool
}

// engineDevice is the name of an engine's device: an address and the unit, as 154c0000.nvenc or 15880000.nvdla0.
var engineDevice = regexp.MustCompile(`^[0-9a-f]+\.(?:nv)?(enc|dec|dla|vic|jpg|ofa|pva)([0-9]*)$`)

// engines finds the engines.
func (f *finder) engines() (list []*engine) {
	const dir = "/sys/bus/platform/devices"
	for _, file := range f.glob(dir + "/*.*/power/runtime_active_time") {
		m := engineDevice.FindStringSubmatch(path.Base(path.Dir(path.Dir(file))))
		if m == nil {
			continue
		}
		name := strings.ToUpper(m[1] + m[2])
		if slices.Contains([]string{"enc", "dec", "jpg"}, m[1]) {
			name = "NV" + name
		}
		list = append(list, &engine{source: newSource(f.fs, file), name: name})
		f.found("time at work of "+name, file, "")
	}
	slices.SortFunc(list, func(a, b *engine) int { return strings.Compare(a.name, b.name) })
	return list
}

func readEngines(list []*engine, r *Reading, miss func(string, error)) {
	for _, e := range list {
		out := EngineReading{Name: e.name}
		on, err := e.int()
		if err != nil {
			miss("time at work of "+e.name, err)
		} else if span := r.T - e.at; e.looked && span > 0 && on >= e.on {
			ms := float64(span) / float64(time.Millisecond)
			out.OnPct = Some(min(100, 100*float64(on-e.on)/ms))
		}
		e.on, e.at, e.looked = on, r.T, err == nil
		r.Engines = append(r.Engines, out)
	}
}
