package record

import (
	"testing"

	"jtune/internal/must"
	"jtune/profiles/record/csvlines"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tegra/virtual"
)

// deviceOf opens a virtual AGX Orin.
func deviceOf(t testing.TB, o virtual.Options) tegra.Device {
	t.Helper()
	o.Name = virtual.AGXOrin
	board := must.Get(virtual.New(o))(t)
	device := must.Get(board.Open())(t)
	t.Cleanup(func() { device.Close() })
	return device
}

// headerOf describes a campaign of a built-in workload on a device.
func headerOf(t testing.TB, d tegra.Device, name string, seed uint64, plan PlanHeader) Header {
	t.Helper()
	list := must.Get(workload.Load(""))(t)
	w := must.Get(workload.Find(list, name))(t)
	return Header{Jtune: "test", Seed: seed, Device: NewDeviceHeader(d), Workload: w, Plan: plan}
}

func testHeader(t testing.TB) Header {
	t.Helper()
	return headerOf(t, deviceOf(t, virtual.Options{}), "resnet", 7, PlanHeader{Kind: "grid", Modes: 4368})
}

// open goes on with whatever campaign a folder holds.
func open(dir string) (*Record, error) {
	h, err := readHeader(dir)
	if err != nil {
		return nil, err
	}
	return OpenOrCreate(dir, h, true)
}

// printed is a run as in a new runs.csv.
func (r Run) printed() (out [][]string) {
	codec := csvlines.NewCodec[runLine](runColumns)
	for _, l := range r.lines() {
		out = append(out, codec.Print(&l))
	}
	return out
}
