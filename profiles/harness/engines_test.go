package harness

import (
	"errors"
	"os"
	"strings"
	"testing"

	"jtune/profiles/harness/detect"
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
		{"docker run -dit --rm IMAGE", "docker run --name jtune-x --init -i --rm IMAGE", "docker rm -f jtune-x"},
		{"docker run --detach IMAGE", "docker run --name jtune-x --init IMAGE", "docker rm -f jtune-x"},
		{"docker container run IMAGE", "docker container run --name jtune-x --init IMAGE", "docker rm -f jtune-x"},
		{"podman --runtime crun --log-level=debug run IMAGE",
			"podman --runtime crun --log-level=debug run --name jtune-x --init IMAGE",
			"podman --runtime crun --log-level=debug rm -f jtune-x"},
		{"sudo -E docker run -it IMAGE run", "sudo -E docker run --name jtune-x --init -i IMAGE run",
			"sudo -E docker rm -f jtune-x"},
		{"sudo python3 train.py", "sudo python3 train.py", ""},
		{"docker build -t run .", "docker build -t run .", ""},
		{"jetson-containers run -it IMAGE", "jetson-containers run --name jtune-x -i IMAGE", "docker rm -f jtune-x"},
		{"docker exec -it NAME python3 train.py", "docker exec -it NAME python3 train.py", ""},
	} {
		if strings.Contains(c.want, "podman") && !hasInit("podman") {
			c.want = strings.Replace(c.want, " --init", "", 1)
		}
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

// A container that has the name which the user gave is the user's: it is neither replaced nor ended.
func TestContainerOfTheUsersIsNotEnded(t *testing.T) {
	t.Parallel()
	engine, calls := fakeEngine(t)
	_, err := Exec(t.Context(), ExecOptions{Command: []string{engine, "run", "--name", "mine", "IMAGE"}, Name: "x",
		Detect: &Detect{}})
	if err == nil || !strings.Contains(err.Error(), "container mine exists already") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(calls); string(text) != "container inspect mine\n" {
		t.Errorf("the engine was called so:\n%s", text)
	}
}

// The background of a terminal: a job that reads it would stand still for ever.
func TestExecEndsAJobThatWaitsForTheTerminal(t *testing.T) {
	t.Parallel()
	h, err := Exec(t.Context(), ExecOptions{Command: []string{"sh", "-c", "kill -TTIN $$; sleep 100"}, Name: "x",
		Detect: &Detect{Options: detect.Options{}, ToEnd: true}})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = h.Next(t.Context())
	}
	if died, ok := errors.AsType[*ExitError](err); !ok || !strings.Contains(err.Error(), "waits for the terminal") {
		t.Errorf("%v, %+v", err, died)
	}
}
