package engine

import (
	"slices"
	"strings"
	"testing"

	"jtune/internal/tools/reliability"
)

// FuzzContained changes commands that start containers. The words given remain unchanged, and so does whatever follows
// the image.
func FuzzContained(f *testing.F) {
	for _, s := range []string{"docker run -it IMAGE -t -d x", "sudo -u x docker run IMAGE -it", "sudo",
		"sudo -- docker run I", "docker --context run run I", "docker container container run I -t",
		"podman --root /x run -tiv /a:/b IMAGE -d", "docker run -td -it -- -t", "env docker run",
		"docker run -e -t IMAGE x", "jetson-containers run -it $(autotag x) -t", "docker run --rm -- IMAGE",
		"docker run -- -it IMAGE", "docker run --name a --name b IMAGE", "docker run --name=a=b IMAGE -t",
		"podman run --env-host IMAGE -t x", "podman run --rmi -it IMAGE -t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		defer reliability.Input(t)()
		words := strings.Fields(line)
		before := slices.Clone(words)
		changed, box, note := Contained(words, "n", "l")
		if !slices.Equal(words, before) {
			t.Errorf("%q: the arguments were changed to %q", before, words)
		}
		if len(box.Engine) == 0 {
			if note != "" && !slices.Equal(changed, before) {
				t.Errorf("%q: noted %q and changed to %q", before, note, changed)
			}
			return
		}
		if box.Name == "" && !strings.Contains(line, "--name") {
			t.Errorf("%q has %+v", before, box)
		}
		known := !slices.ContainsFunc(before, func(w string) bool {
			return strings.HasPrefix(w, "--") && !slices.Contains(unvaluedL, w) && w != "--name"
		})
		if i := slices.Index(before, "IMAGE"); known && i > 0 && before[i-1] == "run" {
			if tail := before[i:]; len(changed) < len(tail) || !slices.Equal(changed[len(changed)-len(tail):], tail) {
				t.Errorf("%q: the command in the container is now %q", before, changed)
			}
		}
	})
}
