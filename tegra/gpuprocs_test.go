package tegra

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"jtune/internal/tools/reliability"
)

func TestGPUProcessesAreReadFromTheDriversList(t *testing.T) {
	t.Parallel()
	const head = "CLIENT                        PROCESS      PID        SIZE\n"
	for name, c := range map[string]struct {
		text string
		want []GPUProcess
		ok   bool
	}{
		"two processes and the kernel": {head + "user    Xorg   6520  19568K\nuser  python3  7001   1949568K\n" +
			"nvgpu  kernel  0  64K\ntotal    1969200K\n",
			[]GPUProcess{{7001, "python3", 1949568 << 10}, {6520, "Xorg", 19568 << 10}, {0, "kernel", 64 << 10}}, true},
		"one process by two names": {head + "user a 5 1K\nvic a 5 2K\n", []GPUProcess{{5, "a", 3 << 10}}, true},
		"a name of two words": {head + "user  GPU Process  5  1M\n",
			[]GPUProcess{{5, "GPU Process", 1 << 20}}, true},
		"nobody": {head + "total                    0K\n", nil, true},
		"torn and foreign lines": {head + "user a\nuser a b c\nuser a 5 -3K\nuser a -5 3K\n" +
			"user a 5 99999999999999999K\n", nil, true},
		"something else altogether":       {"hello world\n", nil, false},
		"an empty file, which is no list": {"", nil, false},
	} {
		got, ok := parseGPUClients(strings.NewReader(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("%s: ok %v (-want +got):\n%s", name, ok, diff)
		}
	}
}

func TestMissingListOfProcessesOnTheGPUIsNamed(t *testing.T) {
	t.Parallel()
	s := &Sysfs{fs: &privilegedFS{FS: DiskFS(t.TempDir())}}
	if list, why := s.GPUProcesses(); list != nil || why != "no such file: "+gpuClients {
		t.Errorf("got %v, %q; want none and the file that is not there", list, why)
	}
}

func FuzzGPUClients(f *testing.F) {
	f.Add("CLIENT PROCESS PID SIZE\nuser Xorg 6520 19568K\ntotal 19568K\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		list, _ := parseGPUClients(strings.NewReader(text))
		for _, p := range list {
			if p.PID < 0 || p.Bytes < 0 {
				t.Errorf("%q: %+v", text, p)
			}
		}
	})
}
