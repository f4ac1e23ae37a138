package readiness

import (
	"os"
	"path/filepath"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness/torch"
	"jtune/profiles/workload"
	"jtune/tegra"
	"jtune/tui/session/sessiontest"
	"jtune/tui/session/workloads"
)

// interpreter is a program that tells these versions.
func interpreter(t *testing.T, says string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python3")
	must.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\necho '"+says+"'\n"), 0o700))
	return path
}

func TestReadinessSaysWhatAWorkloadLacks(t *testing.T) {
	t.Parallel()
	s := sessiontest.Fast(t)
	pictures := t.TempDir()
	must.NoError(t, os.WriteFile(filepath.Join(pictures, "1.jpg"), []byte("x"), 0o600))
	const good = `{"python":"3.10.1","executable":"/p","torch":"2.1.0","PIL":"9.0","cuda":"11.4","gpu":"Orin"}`
	for _, c := range []struct {
		name, says, data string
		ready            bool
		want             []string // state and what, and a word of what to do
	}{
		{"all there", good, torch.Synthetic, true, []string{"ok PyTorch ", "ok data "}},
		{"no PyTorch", `{"python":"3.10.1","executable":"/p","torch_why":"No module named torch"}`, torch.Synthetic, false,
			[]string{"missing PyTorch install it for /p"}},
		{"an old PyTorch", `{"python":"3.6.9","executable":"/p","torch":"1.4.0"}`, torch.Synthetic, false,
			[]string{"missing PyTorch install it for /p"}},
		{"an old Python", `{"python":"3.5.2","executable":"/p","torch":"1.9.0"}`, torch.Synthetic, false,
			[]string{"missing Python install a later Python"}},
		{"no GPU", `{"python":"3.9.1","executable":"/p","torch":"1.13.0a0"}`, torch.Synthetic, true,
			[]string{"warning CUDA it trains on the CPU"}},
		{"no decoder", `{"python":"3.9.1","executable":"/p","torch":"1.13.0a0"}`, pictures, false,
			[]string{"missing torchvision or Pillow apt install", "warning data 1 of the 50,000 samples"}},
		{"no data", good, "", false, []string{"missing data get it from image-net.org", "ok PyTorch "}},
		{"no such folder", good, "/nonexistent/data", false, []string{"missing data is its disk mounted?"}},
		{"no interpreter", "", torch.Synthetic, false, []string{"missing Python "}},
	} {
		w := must.Get(workloads.Find(s, "resnet18"))(t)
		w.Torch.Python, w.Torch.Data = interpreter(t, c.says), c.data
		r, err := CheckWorkload(t.Context(), s, w)
		if err != nil || r.Ready != c.ready || !r.Simulated {
			t.Errorf("%s: ready %v, simulated %v, %v", c.name, r.Ready, r.Simulated, err)
		}
		all := ""
		for _, check := range r.Checks {
			all += check.State + " " + check.What + " " + check.Do + "\n"
		}
		must.Contain(t, all, c.want...)
	}
	own := workload.Workload{Name: "mine", Command: []string{"/nonexistent/train"}}
	if r, err := CheckWorkload(t.Context(), s, own); err != nil || r.Ready || r.Checks[0].State != checkMissing {
		t.Errorf("%+v, %v", r, err)
	}
}

// By the size of the data, the free memory and the time of pre-processing.
func TestCachingAdviceFollowsTheMeasuredStall(t *testing.T) {
	t.Parallel()
	of := func(gb float64, workers int, stallMS float64) caching {
		return caching{DataGB: gb, FreeGB: 4, StallMS: tegra.Some(stallMS), ComputeMS: tegra.Some(195.0),
			Workers: workers}
	}
	alone := of(1, 0, 400)
	alone.Alone = true
	for want, c := range map[string]caching{
		"waits 400 ms beside 195 ms of compute for what it loads itself": alone,
		"each epoch reads about 91 % of it again":                        of(10, 4, 10),
		"workers = 0): the job waits 209 ms beside 195 ms of compute":    of(1, 0, 208.6),
		"a loader process helps all":                                     of(1, 0, 208.6),
		"workers = 4 the job waits 22 ms":                                of(1, 4, 22),
		"waits only 21 ms beside 195 ms of compute":                      of(1, 4, 21),
		"waits only 3 ms":     of(1, 0, 3),
		"A run shows whether": {DataGB: 1, FreeGB: 4, Workers: 4},
	} {
		must.Contain(t, cachingAdvice.Say(c), want)
	}
}
