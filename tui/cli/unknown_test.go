package cli

import (
	"strings"
	"testing"
)

func TestUnknownCommandIsNamedWithTheNearestOne(t *testing.T) {
	t.Parallel()
	for args, near := range map[string]string{"fleeet": "fleet", "prdict --json": "ask predict", "tun x": "tune",
		"modse --help": "device modes", "--seed 3 tunee resnet": "tune",
		"--read-only --device=virtual:agx-orin aply -h": "apply", "start": ""} {
		o := jtune(t, strings.Fields(args)...)
		if near != "" {
			near = "; the nearest is " + near
		}
		o.fails(t, exitUsage, "unknown command", near+"; jtune help lists the commands")
		if o.out != "" || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: got %q on stdout and %q on stderr, want nothing and one line", args, o.out, o.err)
		}
	}
	for _, args := range []string{"--help", "modes --help", "help", "--seed 3 version", "__complete mod"} {
		jtune(t, strings.Fields(args)...).done(t)
	}
}

func TestApplySaysWhetherClocksAreLocked(t *testing.T) {
	t.Parallel()
	for dvfs, want := range map[string]bool{"on": false, "off": true} {
		o := jtune(t, with(virtualBoard, "apply", "8c/1.34C/0.83G/2.13M", "--yes", "--json", "--dvfs", dvfs)...).done(t)
		if got := o.object(t, appliedKeys)["locked"]; got != want {
			t.Errorf("--dvfs %s: locked %v, want %v", dvfs, got, want)
		}
	}
}

func TestVersionIsAFlagToo(t *testing.T) {
	t.Parallel()
	want := jtune(t, "version").done(t).out
	if got := jtune(t, "--version").done(t).out; got != want || !strings.HasPrefix(got, "jtune ") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestExperimentTakesItsWorkloadAsAWordToo(t *testing.T) {
	t.Parallel()
	jtune(t, with(virtualBoard, "experiment", "dvfs", "gpt9")...).fails(t, exitUsage, "gpt9")
	jtune(t, "experiment", "dvfs", "lenet", "--workload", "resnet").fails(t, exitUsage, "--workload")
	jtune(t, "experiment", "dvfs", "lenet", "three").fails(t, exitUsage, "WORKLOAD")
}

func TestUnknownFlagNamesTheNearest(t *testing.T) {
	t.Parallel()
	for args, near := range map[string]string{"tune resnet --powr-limit 3": "; the nearest is --power-limit; ",
		"tune resnet --power 3": "; there is --power-as, --power-limit; ", "watch --xyzzy": "--xyzzy; ",
		"tune resnet --energy-limit 3": "--energy searches for the least energy, " +
			"jtune ask choose --energy-limit chooses from a model; ",
		"tune resnet --temp-limit 80": "; write it as --limit \"85 C\"; ",
		"soak --power-limit 15":       "; write it as --limit \"15 W\"; "} {
		words := strings.Fields(args)
		jtune(t, words...).fails(t, exitUsage, near+"jtune "+words[0]+" --help lists the flags")
	}
}
