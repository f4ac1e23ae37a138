package workloads

import (
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/report"
	"jtune/profiles/workload"
)

func TestTypedIsNamedAfterItsProgram(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"python3 train.py --epochs 3":                    "train",
		"python3 -u src/Main_Net.py":                     "main_net",
		"/usr/bin/env python3 run.py":                    "run",
		"./detect video.mp4":                             "detect",
		"torchrun --nproc 1 train.py":                    "train",
		"sh -c sleep":                                    "sleep",
		"docker run --rm IMAGE python3 /opt/infer.py":    "infer",
		"/opt/llama.cpp/build/bin/llama-bench -m x.gguf": "llama-bench",
		"...": "job",
	} {
		must.Equal(t, (Typed{Command: strings.Fields(command)}).Name(), want, command)
	}
}

func TestColumnsShowNoBatchSizeThatIsUnknown(t *testing.T) {
	t.Parallel()
	shown := func(w workload.Workload) string {
		list := Columns()
		at := slices.IndexFunc(list, func(c report.Column[workload.Workload]) bool { return c.Key == "batch" })
		return list[at].Text(w)
	}
	job := workload.Own("job", []string{"./train"})
	must.Equal(t, shown(job), "–")
	must.Equal(t, shown(job.AtBatch(16)), "16")
}
