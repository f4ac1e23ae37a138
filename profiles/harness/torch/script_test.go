package torch_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
	"jtune/tegra/tegratest"
)

func put(t *testing.T, path, text string) string {
	t.Helper()
	must.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestScriptWithoutPyTorchThereIsOneClearLine(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	bare := filepath.Join(t.TempDir(), "python")
	tegratest.Program(t, bare, "#!/bin/sh\nexec "+python+" -S -E \"$@\"\n") // sees no installed package
	job := torch.Job{Net: "lenet5", Set: "mnist", Data: torch.Synthetic, Python: bare}
	_, err := all(t, start(t, "", nil, job.Command(scripts(t))...))
	var died *harness.ExitError
	if !errors.As(err, &died) || !strings.Contains(err.Error(), "has no PyTorch") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestScriptOutOfMemoryIsToldAsDidNotRun(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	for name, raise := range map[string]string{
		"on the GPU": `RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB\n(GPU 0)")`,
		"on the CPU": `RuntimeError("[enforce fail] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes.")`,
		"in Python":  `MemoryError()`,
	} {
		folder := scripts(t)
		put(t, filepath.Join(folder, "torch.py"), "")
		put(t, filepath.Join(folder, "loop.py"), "def train(o): raise "+raise+"\n")
		_, err := all(
			t,
			start(t, "", nil,
				torch.Job{Net: "bert", Set: "squad", Data: torch.Synthetic, Python: python}.Command(folder)...),
		)
		if err == nil || !strings.Contains(err.Error(), "out of memory, did not run (DNR)") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestScriptHelperTimesAnybodysScript(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	folder := t.TempDir()
	put(t, filepath.Join(folder, "jtune.py"), string(torch.Helper()))
	script := put(t, filepath.Join(folder, "mine.py"), `
import time, jtune
for epoch in range(2):
    for batch in range(3):
        time.sleep(0.02)
        print("loss", 1.5)
        with jtune.minibatch(epoch, batch, clean=batch != 2):
            time.sleep(0.01)
`)
	got, err := all(t, start(t, "", map[string]string{"JTUNE_PROTOCOL": "1"}, python, script))
	if !errors.Is(err, io.EOF) || len(got[harness.Minibatch]) != 6 {
		t.Fatalf("%v, %v", got, err)
	}
	for i, e := range got[harness.Minibatch] {
		counts := i%3 == 1 // neither the first of an epoch nor the one that says so
		if e.Epoch != i/3 || e.Batch != i%3 || e.Unclean == counts {
			t.Errorf("minibatch %d: %+v", i, e)
		}
		if counts && (e.FetchMS.V < 20 || e.ComputeMS.V < 10 || e.TimeMS < e.FetchMS.V+e.ComputeMS.V-0.1) {
			t.Errorf("minibatch %d: %+v; want 20 ms of fetch and 10 ms of compute at least", i, e)
		}
	}
}

func TestScriptHelperIsSilentOutsideJtune(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	folder := t.TempDir()
	put(t, filepath.Join(folder, "jtune.py"), string(torch.Helper()))
	script := put(t, filepath.Join(folder, "mine.py"),
		"import os\nos.environ.pop('JTUNE_PROTOCOL', None)\nimport jtune\nwith jtune.minibatch(): pass\n")
	if got, err := all(t, start(t, "", nil, python, script)); !errors.Is(err, io.EOF) || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}
