package rivals

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// rootWith writes an AGX Orin with more files and links, and opens its root.
func rootWith(t *testing.T, files, links map[string]string) (string, tegra.FS) {
	t.Helper()
	tr := tegratest.NewAGXOrin35()
	for name, content := range files {
		tr.Files[name] = content
	}
	for name, target := range links {
		tr.Links[name] = target
	}
	root := tr.Write(t)
	return root, tegra.DiskFS(root)
}

// process is the files of a process in /proc.
func process(pid, comm string, argv ...string) map[string]string {
	return map[string]string{
		"/proc/" + pid + "/comm":    comm + "\n",
		"/proc/" + pid + "/cmdline": strings.Join(argv, "\x00") + "\x00",
	}
}

func TestProcessesAreKnownByTheirOwnNameOrTheirScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, comm string
		argv       []string
		want       string
	}{
		{"the fan's daemon", "nvfancontrol", []string{"/usr/sbin/nvfancontrol"}, "nvfancontrol"},
		{"a shell script under its own name", "jetson_clocks", []string{"/bin/bash", "/usr/bin/jetson_clocks", "--fan"},
			"jetson_clocks"},
		{"a script that a shell runs", "bash", []string{"bash", "-e", "/usr/bin/jetson_clocks"},
			"jetson_clocks"},
		{"jtop under Python", "python3", []string{"/usr/bin/python3", "/usr/local/bin/jtop", "--force"}, "jtop"},
		{"jtop under a Python with its version", "python3.10", []string{"/usr/bin/python3.10", "/usr/local/bin/jtop"},
			"jtop"},
		{"nvpmodel at work", "nvpmodel", []string{"nvpmodel", "-m", "0"}, "nvpmodel"},
		{"a name that the kernel cuts", "power-profiles-", []string{"/usr/libexec/power-profiles-daemon"},
			"power-profiles-daemon"},
		{"another jtune's guard", "jtune", []string{"/usr/local/bin/jtune", "guard", "-stage=serve", "-sysroot=/"},
			"jtune guard"},
		{"another jtune that only watches", "jtune", []string{"jtune", "watch"}, ""},
		{"an editor of such a file", "vim", []string{"vim", "/usr/bin/jetson_clocks"}, ""},
		{"a search for such a name", "grep", []string{"grep", "nvpmodel"}, ""},
		{"a shell that is given the name as data", "sh", []string{"sh", "-c", "echo nvpmodel"}, ""},
		{"tegrastats, which only reads", "tegrastats", []string{"tegrastats"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, ok := known(c.comm, c.argv)
			if got := p.name; got != c.want || ok != (c.want != "") {
				t.Errorf("got %q, %v, want %q", got, ok, c.want)
			}
		})
	}
}

// find returns the findings by name.
func find(t *testing.T, fsys tegra.FS) map[string]Rival {
	t.Helper()
	s := must.Get(tegra.Open(fsys, tegra.RealClock()))(t)
	defer s.Close()
	r, out := must.Get(s.Read())(t), map[string]Rival{}
	for _, found := range Find(fsys, r, s.Presets(), 4242) {
		out[found.Name+" "+string(found.Kind)] = found
	}
	return out
}

func TestFindSeesProcessesBelowTheRoot(t *testing.T) {
	t.Parallel()
	files := process("812", "nvfancontrol", "/usr/sbin/nvfancontrol")
	for name, content := range process("4242", "jtune", "jtune", "guard") {
		files[name] = content // this process itself
	}
	files["/proc/2/comm"], files["/proc/2/cmdline"] = "nvpmodel\n", "" // a kernel thread has no command line
	_, fsys := rootWith(t, files, nil)
	got := find(t, fsys)
	if r := got["nvfancontrol process"]; !r.Active() || r.Path != "/proc/812" || r.Touches != "the fan" {
		t.Errorf("got %+v", r)
	}
	for name, r := range got {
		if r.Kind == Process && name != "nvfancontrol process" {
			t.Errorf("%s is no rival", name)
		}
	}
}

func TestUnitsAreEnabledIdleOrMasked(t *testing.T) {
	t.Parallel()
	const text = "[Service]\nExecStart=/usr/sbin/x\n"
	_, fsys := rootWith(t, map[string]string{
		"/lib/systemd/system/nvpmodel.service":     text,
		"/lib/systemd/system/nvfancontrol.service": text,
		"/lib/systemd/system/ondemand.service":     text,
		"/etc/systemd/system/fast.service": "[Service]\n# nvpmodel -m 0\n" +
			"ExecStart=/bin/sh -c 'sleep 60 && jetson_clocks'\n",
		"/etc/systemd/system/quiet.service": "[Service]\n# ExecStart=/usr/bin/jetson_clocks\n" +
			"ExecStart=/bin/true\n",
		"/etc/rc.local":                          "#!/bin/sh\nnvpmodel  -m 0\nexit 0\n",
		"/etc/systemd/system/jtune-mode.service": "# ours\n[Service]\nExecStart=/opt/jtune apply MAXN --yes\n",
	}, map[string]string{
		"/etc/systemd/system/multi-user.target.wants/nvpmodel.service":   "/lib/systemd/system/nvpmodel.service",
		"/etc/systemd/system/multi-user.target.wants/fast.service":       "/etc/systemd/system/fast.service",
		"/etc/systemd/system/multi-user.target.wants/jtune-mode.service": "../jtune-mode.service",
		"/etc/systemd/system/ondemand.service":                           "/dev/null",
	})
	got := find(t, fsys)
	for name, want := range map[string]State{"nvpmodel.service": Enabled, "nvfancontrol.service": Idle,
		"ondemand.service": Masked,
		"fast.service":     Enabled, "rc.local": Enabled, "jtune-mode.service": Enabled} {
		if r, ok := got[name+" unit"]; !ok || r.State != want {
			t.Errorf("%s: got %+v, want it %s", name, r, want)
		}
	}
	if r := got["fast.service unit"]; !strings.Contains(string(r.Note), "jetson_clocks") {
		t.Errorf("the homemade unit's tool is not named: %+v", r)
	}
	if r := got["jtune-mode.service unit"]; !strings.Contains(string(r.Note), "/opt/jtune apply MAXN --yes") {
		t.Errorf("our unit's command is not named: %+v", r)
	}
	if _, ok := got["quiet.service unit"]; ok {
		t.Error("a unit that names a tool in a comment is no rival")
	}
}

func TestPresetOfTheNextBootIsNamed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{"pmode:0002\n": "preset 2 (MODE_30W)",
		"pmode:0077\n": "preset 77 again", "": "no preset", "garbage": "no preset", "pmode:-1": "no preset"} {
		_, fsys := rootWith(t, map[string]string{tegra.PresetFile: content}, nil)
		if r := find(t, fsys)["nvpmodel mark"]; !strings.Contains(string(r.Note), want) {
			t.Errorf("%q: got %+v, want %q", content, r, want)
		}
	}
}

func TestLockedClocksAreRecognised(t *testing.T) {
	t.Parallel()
	root, fsys := rootWith(t, nil, nil)
	if r, ok := find(t, fsys)["jetson_clocks mark"]; ok {
		t.Errorf("free clocks: got %+v", r)
	}
	for _, name := range []string{"policy0", "policy4", "policy8"} {
		path := filepath.Join(root, tegratest.CPU, "cpufreq", name, "scaling_min_freq")
		must.NoError(t, os.WriteFile(path, []byte("2201600\n"), 0o644))
	}
	if r := find(t, fsys)["jetson_clocks mark"]; r.Touches != "CPU clocks" || r.State != InForce {
		t.Errorf("got %+v, want the CPU's", r)
	}
}

func TestRivalsOfAnEmptyRootAreNone(t *testing.T) {
	t.Parallel()
	if got := Find(tegra.DiskFS(t.TempDir()), tegra.Reading{}, nil, 1); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

// FuzzKnown: a program is recognised by its own name or its script's, never by another argument.
func FuzzKnown(f *testing.F) {
	f.Add("bash", "bash\x00-c\x00jetson_clocks\x00")
	f.Add("python3.10", "/usr/bin/python3.10\x00-u\x00/usr/local/bin/jtop\x00")
	f.Add("jtune", "/usr/local/bin/jtune\x00guard\x00")
	f.Add("power-profiles-", "power-profiles-\x00")
	f.Add("", "\x00\x00")
	f.Fuzz(func(t *testing.T, comm, cmdline string) {
		defer reliability.Input(t)()
		if len(cmdline) == 0 {
			return
		}
		argv := words([]byte(cmdline))
		p, ok := known(comm, argv)
		if ok != (p.name != "") {
			t.Errorf("%q: %v", p.name, ok)
		}
		name, mode, _ := strings.Cut(p.name, " ") // “jtune guard” alone has two words
		if ok && !slices.ContainsFunc(append([]string{comm}, argv...), func(w string) bool {
			w = path.Base(w)
			return w == name || len(w) == commLen && strings.HasPrefix(name, w)
		}) || mode != "" && (len(argv) < 2 || argv[1] != mode) {
			t.Errorf("%q %q is taken for %s", comm, argv, p.name)
		}
		for _, other := range [][]string{{"/usr/bin/grep"}, {"/bin/bash", "-e", "x.sh"}} {
			if p, ok := known(path.Base(other[0]), append(other, argv...)); ok {
				t.Errorf("%q, given to %q, is taken for %s", argv, other, p.name)
			}
		}
		for _, want := range programs {
			if _, ok := known(want.name[:min(len(want.name), commLen)], argv); !ok {
				t.Errorf("%s with %q is not known", want.name, argv)
			}
		}
	})
}
