package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/profiles/harness"
	"jtune/profiles/harness/torch"
)

// Requests at a rate can be sent to a server, and to a job that takes turns.
func TestWorkloadSaysWhyItGetsNoRequestsAtARate(t *testing.T) {
	t.Parallel()
	script := func(text string) []string {
		path := filepath.Join(t.TempDir(), "serve.py")
		must.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return []string{"python3", path}
	}
	for name, c := range map[string]struct {
		w    Workload
		want string
	}{
		"built in":      {Workload{Torch: torch.Job{Net: "mobilenet", Infer: true}}, ""},
		"a server":      {Workload{Server: Server{API: APIOpenAI, URL: "http://127.0.0.1:1"}}, ""},
		"takes turns":   {Workload{Command: script("import jtune\nwith jtune.turn('infer') as n: pass\n")}, ""},
		"takes none":    {Workload{Command: script("import jtune\nwith jtune.inference(1): pass\n")}, "jtune.turn"},
		"by a pattern":  {Workload{Command: []string{"trtexec"}, Pattern: "trtexec"}, "read by a pattern"},
		"in a box":      {Workload{Container: harness.Container{Image: "x"}}, "container"},
		"was elsewhere": {Workload{Elsewhere: &harness.Elsewhere{}}, "started elsewhere"},
	} {
		c.w.Name, c.w.Kind = "net", Inference
		why := c.w.UnpacedFault()
		if c.want == "" != (why == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q, want %q", name, why, c.want)
		}
		if c.want == "" {
			continue
		}
		if _, err := c.w.paced(HarnessOptions{})(t.Context(), 1); err == nil || err.Error() != why {
			t.Errorf("%s: started all the same: %v", name, err)
		}
	}
}
