package run

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness/torch"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session"
	"jtune/tui/session/measure"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

func TestWorkloadsSayHowTheyRunHere(t *testing.T) {
	virtualBoard := sessiontest.Fast(t)
	job := func(net, data string) torch.Job { return torch.Job{Net: net, Set: "coco", Data: data} }
	board, infer := &session.Session{Device: virtualBoard.Device}, job("resnet18", "")
	infer.Infer = true
	for name, c := range map[string]struct {
		s    *session.Session
		w    workload.Workload
		want string
	}{
		"measured physics":        {virtualBoard, workload.Workload{Name: "resnet18"}, "simulated"},
		"physics from a paper":    {virtualBoard, workload.Workload{Name: "lenet5"}, "estimated"},
		"inference of a known":    {virtualBoard, workload.Workload{Name: "resnet18", Torch: infer}, "not here"},
		"a name without physics":  {virtualBoard, workload.Workload{Name: "mine", Command: []string{"x"}}, "not here"},
		"a board without command": {board, workload.Workload{Name: "mine"}, "no command"},
		"a network without data":  {board, workload.Workload{Name: "resnet18", Torch: job("resnet18", "")}, "no data"},
		"a network with data":     {board, workload.Workload{Name: "resnet18", Torch: job("resnet18", "/data")}, "yes"},
	} {
		if got := workloads.RunsAs(c.s, c.w); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	w, err := workloads.Find(virtualBoard, "resnet18")
	must.NoError(t, err)
	w.Torch.Infer = true
	mine := workload.Workload{Name: "mine", Command: []string{"x"}, Torch: torch.Job{Beside: true}}
	folder := workload.Workload{Name: "far", Torch: job("resnet18", "/no/such/folder")}
	folder.Torch.Beside = true
	asked := workload.Workload{Name: "asked", Torch: job("alexnet", "")}
	asked.Torch.Infer, asked.Torch.Beside = true, true
	if err := workloads.CanRun(virtualBoard, asked); err != nil {
		t.Errorf("AlexNet, which virtual boards know by its inference alone: %v", err)
	}
	for want, w := range map[string]workload.Workload{
		"workload resnet18: a virtual board simulates the inference of alexnet-infer": w,
		"workload mine: beside = true takes the power of a simulated network":         mine,
		"workload far: ": folder,
	} {
		_, err = Run(t.Context(), virtualBoard, measure.RunRequest{Workload: w, Minibatches: 5}, nil)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, tegra.ErrUnsupported) && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
