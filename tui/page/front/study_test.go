package front

import (
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/tui/page"
	"jtune/tui/page/pagetest"
	"jtune/tui/session/study"
	"jtune/tui/session/task"
)

// The newest energy study of the workload adds two pictures: the findings of the command, with the measured minimum
// marked.
func TestFrontShowsTheEnergyStudyOfItsWorkload(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	d.Show(d.Board.Outlook())
	d.Size(120, 35)
	d.Press("V", "V", "V")
	if p.study.on || p.cloud.picture.drawn != drawCloud {
		t.Fatalf("without a study V leads to %v", p.cloud.picture.drawn)
	}
	l := pagetest.Study(d.Board, "resnet18")
	d.State.Tasks.Campaigns = []task.Listed{pagetest.Study(d.Board, "other"), l}
	d.Press("V", "V", "V")
	d.Until("the study is read", func() bool { return p.study.report != nil })
	want, err := study.Energy(l.Campaign)
	if err != nil || !want.Least.OK {
		t.Fatalf("least %v, %v", want.Least, err)
	}
	least := d.State.Device.Space.Format(want.Least.V.Mode)
	d.Sees("energy over the clocks of CPU and GPU", "VIRTUAL", "what it found", "◆", "●", least,
		strings.Fields(want.Findings()[0])[0], "default governors")
	must.Equal(t, p.Copied(), least)
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
			must.Equal(t, len(strings.Split(d.Screen(), "\n")), size[1], size)
			d.Press("V")
			p.study.on = true
		}
	}
	if d.Press("esc"); p.study.on {
		t.Error("esc does not leave the study")
	}
}

// A study needs no model.
func TestFrontShowsAnEnergyStudyWithoutAModel(t *testing.T) {
	d, p := pagetest.Drive(t, New)
	d.State.Tasks.Campaigns = []task.Listed{pagetest.Study(d.Board, "mobilenet-infer")}
	d.Sees("V shows the energy study of mobilenet-infer")
	d.Press("V")
	d.Until("the study is read", func() bool { return p.study.report != nil })
	d.Sees("energy over the clocks", "mobilenet-infer")
	d.Press("esc")
	d.Sees("No model is loaded")
	d.State.Tasks.Campaigns[0].Readings = 0
	if d.Press("V"); p.study.on {
		t.Error("a study without rows is drawn")
	}
}
