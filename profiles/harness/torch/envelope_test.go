package torch_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

// fakeTorch takes products of matrices on a GPU whose memory holds 1024×1024 at most.
const fakeTorch = `import time
__version__, float16 = "9.9", "half"
class cuda:
    def is_available(): return True
    def synchronize(): pass
    def get_device_name(i): return "Fake Orin"
def randn(*shape, device, dtype):
    assert (device, dtype) == ("cuda", "half")
    if shape[0] > 1024: raise RuntimeError("CUDA out of memory")
    return shape
def matmul(a, b, out=None):
    assert a == b == (1024, 1024)
    time.sleep(0.001)
    return a
`

// The envelope says what it keeps busy, and what it could not: without CUDA it is a floor.
func TestEnvelopeSaysWhatItKeepsBusy(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	for name, c := range map[string]struct {
		torch string
		says  []string
		not   string
	}{
		"with a GPU": {fakeTorch, []string{"CPU process", "16-bit matrices of 1024 on Fake Orin"}, "floor"},
		"without CUDA": {"__version__ = '9.9'\nclass cuda:\n    is_available = lambda: False\n",
			[]string{"a floor", "PyTorch 9.9 sees no CUDA"}, "16-bit"},
		"without PyTorch": {"raise ImportError('none')\n", []string{"a floor", "no PyTorch in"}, "16-bit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := scripts(t)
			put(t, filepath.Join(folder, "torch.py"), c.torch)
			job := torch.Job{Net: torch.Envelope, Data: torch.Synthetic, Python: python}
			must.NoError(t, job.Ready())
			h := start(t, "", nil, job.Command(folder)...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			said, units := "", 0
			for units < 5 {
				e := must.Get(h.Next(ctx))(t)
				switch e.Kind {
				case harness.Hello:
					said = e.Info["load"]
				case harness.Minibatch:
					units++
				}
			}
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("%q lacks %q", said, want)
				}
			}
			if strings.Contains(said, c.not) {
				t.Errorf("%q says %q", said, c.not)
			}
			if err := h.Stop(context.WithoutCancel(ctx)); err != nil {
				t.Error(err)
			}
		})
	}
}
