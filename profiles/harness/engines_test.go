package harness

import (
	"strings"
	"testing"
)

func TestContainedChangesTheCommandsOfContainersAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want, remove string }{
		{"python3 train.py run", "python3 train.py run", ""},
		{"docker run -it --rm IMAGE python3 train.py -t 3",
			"docker run --name jtune-x --init -i --rm IMAGE python3 train.py -t 3", "docker rm -f jtune-x"},
		{"/usr/bin/podman run -t --runtime nvidia -v /data:/data IMAGE sh -t",
			"/usr/bin/podman run --name jtune-x --init --runtime nvidia -v /data:/data IMAGE sh -t",
			"/usr/bin/podman rm -f jtune-x"},
		{"docker run --name=mine --init --tty IMAGE", "docker run --name=mine --init IMAGE", "docker rm -f mine"},
		{"docker run --name mine -e TOKEN=t IMAGE", "docker run --init --name mine -e TOKEN=t IMAGE", "docker rm -f mine"},
		{"jetson-containers run -it IMAGE", "jetson-containers run --name jtune-x -i IMAGE", "docker rm -f jtune-x"},
		{"docker exec -it NAME python3 train.py", "docker exec -it NAME python3 train.py", ""},
	} {
		got, remove, note := Contained(strings.Fields(c.command), "jtune-x")
		if s := strings.Join(got, " "); s != c.want || strings.Join(remove, " ") != c.remove {
			t.Errorf("%q: %q, %q; want %q, %q", c.command, s, remove, c.want, c.remove)
		}
		if exec := strings.Contains(c.command, " exec "); exec != (note != "") {
			t.Errorf("%q: note %q", c.command, note)
		}
	}
}
