package front

import (
	"strconv"
	"strings"
	"testing"

	"jtune/profiles/record"
	"jtune/tegra"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session"
)

// recordedStudy is an energy study of the law: its energy has a least inside the GPU's clocks.
func recordedStudy(d *pagetest.Driver, name string) session.Listed {
	space, w := d.State.Device.Space, d.State.Work.List[0]
	w.Name, w.Kind, w.Batch = name, "infer", 1
	h := record.Header{Created: pagetest.Start, Device: record.NewDeviceHeader(d.Board), Workload: w,
		Plan: record.PlanHeader{Kind: record.ExperimentKind, Source: "energy",
			Digest: "energy full=false repeat=1 every=0s"}}
	l := session.Listed{State: session.CampaignFinished,
		Campaign: session.Campaign{Name: "study", Dir: "/data/study", Header: h}}
	top := space.Max()
	add := func(m tegra.Mode, setting string, run int) {
		ms, watts := pagetest.Law(m)
		l.Rows = append(l.Rows, record.Row{Measured: tegra.Measured{Setting: tegra.Setting{Mode: m}, TimeMS: ms,
			PowerW: watts}, Status: record.OK, EnergyJ: ms * watts / 1000, Extra: []string{setting, strconv.Itoa(run)}})
	}
	for k := range 3 {
		add(top, "default governors", k+1)
	}
	for i, cpu := range space.Values(tegra.KnobCPU) {
		for k, gpu := range space.Values(tegra.KnobGPU) {
			m := top
			m.CPU, m.GPU = tegra.Freq(cpu), tegra.Freq(gpu)
			if (i+k)%3 == 0 {
				add(m, space.Format(m), 1)
			}
		}
	}
	return l
}

// The newest energy study of the workload is two more pictures: what the command tells, with the least measured marked.
func TestFrontShowsTheEnergyStudyOfItsWorkload(t *testing.T) {
	d, p := withView(t)
	d.Size(120, 35)
	d.Press("V", "V", "V")
	if p.drawn != drawCloud {
		t.Fatalf("without a study V leads to %v", p.drawn)
	}
	l := recordedStudy(d, "resnet18")
	d.State.Tasks.Campaigns = []session.Listed{recordedStudy(d, "other"), l}
	d.Press("V", "V", "V")
	d.Until("the study is read", func() bool { return p.study.report != nil })
	want, err := l.Energy()
	if err != nil || !want.Least.OK {
		t.Fatalf("least %v, %v", want.Least, err)
	}
	least := d.State.Device.Space.Format(want.Least.V.Mode)
	d.Sees("energy over the clocks of CPU and GPU", "VIRTUAL", "what it found", "◆", "●", least,
		strings.Fields(want.Findings()[0])[0], "default governors")
	if p.Copied() != least {
		t.Errorf("copied is %s, the least is %s", p.Copied(), least)
	}
	d.Press("a")
	if does, ok := d.Want().(page.Apply); !ok || does.Mode != want.Least.V.Mode {
		t.Errorf("applies %v", does)
	}
	d.Press("V")
	d.Sees("latency and energy over the GPU's clock", "latency of a batch, ms", "energy of an inference, mJ")
	d.Press("K")
	d.Sees("over the CPU's clock")
	if files, err := p.Files(); err != nil || len(files) != 3 || !strings.Contains(files[1].Text, "virtual") {
		t.Errorf("%d files (%v)", len(files), err)
	}
	for _, size := range pagetest.Sizes {
		d.Size(size[0], size[1])
		for range 2 {
			if lines := strings.Split(d.Screen(), "\n"); len(lines) != size[1] {
				t.Errorf("%d lines at %v", len(lines), size)
			}
			d.Press("V")
			p.drawn = max(p.drawn, drawStudyMap)
		}
	}
	if d.Press("esc"); p.drawn != drawCloud {
		t.Errorf("esc leads to %v", p.drawn)
	}
}

// A study needs no model.
func TestFrontShowsAnEnergyStudyWithoutAModel(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	d.State.Tasks.Campaigns = []session.Listed{recordedStudy(d, "mobilenet-infer")}
	d.Sees("V shows the energy study of mobilenet-infer")
	d.Press("V")
	d.Until("the study is read", func() bool { return p.study.report != nil })
	d.Sees("energy over the clocks", "mobilenet-infer")
	d.Press("esc")
	d.Sees("No model is loaded")
	d.State.Tasks.Campaigns[0].Rows = nil
	if d.Press("V"); p.onStudy() {
		t.Error("a study without rows is drawn")
	}
}
