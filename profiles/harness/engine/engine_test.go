package engine

import (
	"strings"
	"testing"
)

func TestContainedChangesTheCommandsOfContainersAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, want, remove string }{
		{"python3 train.py run", "python3 train.py run", ""},
		{"docker run -it --rm IMAGE python3 train.py -t 3",
			"docker run --name jtune-x --label l --init -i --rm IMAGE python3 train.py -t 3", "docker rm -f jtune-x"},
		{"/usr/bin/podman run -t --runtime nvidia -v /data:/data IMAGE sh -t",
			"/usr/bin/podman run --name jtune-x --label l --init --runtime nvidia -v /data:/data IMAGE sh -t",
			"/usr/bin/podman rm -f jtune-x"},
		{"docker run --name=mine --init --tty IMAGE", "docker run --name=mine --init IMAGE", "docker rm -f mine"},
		{"docker run --name mine -e TOKEN=t IMAGE", "docker run --init --name mine -e TOKEN=t IMAGE",
			"docker rm -f mine"},
		{"docker run -dit --rm IMAGE", "docker run --name jtune-x --label l --init -i --rm IMAGE",
			"docker rm -f jtune-x"},
		{"docker run --detach IMAGE", "docker run --name jtune-x --label l --init IMAGE", "docker rm -f jtune-x"},
		{"docker container run IMAGE", "docker container run --name jtune-x --label l --init IMAGE",
			"docker rm -f jtune-x"},
		{"podman --runtime crun --log-level=debug run IMAGE",
			"podman --runtime crun --log-level=debug run --name jtune-x --label l --init IMAGE",
			"podman --runtime crun --log-level=debug rm -f jtune-x"},
		{"sudo -E docker run -it IMAGE run", "sudo -E docker run --name jtune-x --label l --init -i IMAGE run",
			"sudo -E docker rm -f jtune-x"},
		{"sudo python3 train.py", "sudo python3 train.py", ""},
		{"docker build -t run .", "docker build -t run .", ""},
		{"jetson-containers run -it IMAGE",
			"jetson-containers run --name jtune-x --label l -i IMAGE", "docker rm -f jtune-x"},
		{"docker exec -it NAME python3 train.py", "docker exec -it NAME python3 train.py", ""},
	} {
		if strings.Contains(c.want, "podman") && !HasInit("podman") {
			c.want = strings.Replace(c.want, " --init", "", 1)
		}
		got, box, note := Contained(strings.Fields(c.command), "jtune-x", "l")
		remove := ""
		if box.Name != "" {
			remove = strings.Join(box.Engine, " ") + " rm -f " + box.Name
		}
		if s := strings.Join(got, " "); s != c.want || remove != c.remove {
			t.Errorf("%q: %q, %q; want %q, %q", c.command, s, remove, c.want, c.remove)
		}
		if exec := strings.Contains(c.command, " exec "); exec != (note != "") {
			t.Errorf("%q: note %q", c.command, note)
		}
	}
}

// A container that jtune does not name would go on when the job is ended, so it says so.
func TestContainedNotesAContainerThatItCannotEnd(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"docker compose run app python3 train.py":      true,
		"docker compose -f x.yml up":                   true,
		"docker start -a mine":                         true,
		"docker container start -ai mine":              true,
		"podman exec mine train":                       true,
		"sudo docker start -a mine":                    true,
		"sudo -u me docker run IMAGE":                  true,
		"env A=1 docker run IMAGE":                     true,
		"/usr/bin/nice -n 5 /usr/bin/docker run IMAGE": true,
		"nice sudo jetson-containers run IMAGE":        true,
		"timeout 60 docker --context x run IMAGE":      true,
		"docker run IMAGE docker start":                false,
		"sudo -E docker run IMAGE":                     false,
		"docker build -t exec .":                       false,
		"sudo docker images":                           false,
		"env A=1 python3 train.py --engine docker":     false,
		"nice python3 docker.py run":                   false,
		"python3 bench.py docker run":                  false,
		"env docker":                                   false,
		"nice docker build -t start .":                 false,
	} {
		changed, box, note := Contained(strings.Fields(command), "n", "l")
		if (note != "") != want || want && (strings.Join(changed, " ") != command || box.Name != "") {
			t.Errorf("%q: note %q, %q, %q", command, note, changed, box)
		}
	}
}

// The value of an option of docker's may be the next word: of those with one, and not of those without.
func TestContainedKeepsTheValuesOfOptions(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"docker run -v /a:/b -it IMAGE x":     "docker run --name n --label l --init -v /a:/b -i IMAGE x",
		"docker run -tv /a:/b IMAGE x":        "docker run --name n --label l --init -v /a:/b IMAGE x",
		"docker run -ditv /t:/d IMAGE -t":     "docker run --name n --label l --init -iv /t:/d IMAGE -t",
		"docker run -itv/t:/d -ht IMAGE":      "docker run --name n --label l --init -iv/t:/d -ht IMAGE",
		"docker run --gpus all --rm IMAGE":    "docker run --name n --label l --init --gpus all --rm IMAGE",
		"docker run --gpus=all IMAGE -t":      "docker run --name n --label l --init --gpus=all IMAGE -t",
		"docker run -d IMAGE -t":              "docker run --name n --label l --init IMAGE -t",
		"docker run -d -P IMAGE":              "docker run --name n --label l --init -P IMAGE",
		"docker container run --tty -e A B":   "docker container run --name n --label l --init -e A B",
		"docker run -t":                       "docker run --name n --label l --init",
		"docker run -v":                       "docker run --name n --label l --init -v",
		"docker run -- IMAGE -it":             "docker run --name n --label l --init -- IMAGE -it",
		"docker build -t x .":                 "docker build -t x .",
		"docker":                              "docker",
		"docker container exec c sh":          "docker container exec c sh",
		"podman run --env-host IMAGE -t x":    "podman run --name n --label l --init --env-host IMAGE -t x",
		"docker run --new-flag -t IMAGE -t":   "docker run --name n --label l --init --new-flag IMAGE -t",
		"docker run --new-flag IMAGE -t":      "docker run --name n --label l --init --new-flag IMAGE -t",
		"docker run --new-flag V -t IMAGE -t": "docker run --name n --label l --init --new-flag V -t IMAGE -t",
		"jetson-containers run --name m -t I": "jetson-containers run --name m I",
	} {
		if strings.HasPrefix(want, "podman") && !HasInit("podman") {
			want = strings.Replace(want, " --init", "", 1)
		}
		got, _, _ := Contained(strings.Fields(command), "n", "l")
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: got %q, want %q", command, s, want)
		}
	}
}
