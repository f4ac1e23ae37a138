package harness

import (
	"os"
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
		{"docker run --name mine -e TOKEN=t IMAGE", "docker run --init --name mine -e TOKEN=t IMAGE",
			"docker rm -f mine"},
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

func TestContainerOfACommandIsEndedWithItsJob(t *testing.T) {
	t.Parallel()
	engine, calls := fakeEngine(t)
	h, err := Exec(t.Context(), ExecOptions{Command: []string{engine, "run", "-it", "--rm", "IMAGE", "train"},
		Name:   "mine",
		Detect: &Detect{}})
	if err != nil {
		t.Fatal(err)
	}
	for kind := Kind(""); kind != Minibatch; {
		e, err := h.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kind = e.Kind
	}
	if err := h.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(calls)
	want := "rm -f jtune-mine\nrun --name jtune-mine --init -i --rm IMAGE train\nrm -f jtune-mine\n"
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%v, got %q, want %q", err, text, want)
	}
}
