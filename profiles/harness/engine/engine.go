// Package engine reads and changes the commands that begin containers: those of docker, podman, nerdctl and
// jetson-containers.
//
//	docker run -it IMAGE train ──► Contained ──► docker run --name jtune-x --init -i IMAGE train, {docker, jtune-x}
package engine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// Default is the default container engine.
	Default = "docker"
	// grace bounds how long the engine may take for one command.
	grace = 20 * time.Second
)

// engines are the programs that start containers, and whether they take docker's options themselves.
var engines = map[string]bool{"docker": true, "podman": true, "nerdctl": true, "jetson-containers": false}

// valued are the short options of docker whose value may be the next word; unvalued and unvaluedL, short and long, take
// none, valuedL, long, take one.
var (
	valued    = "vewupmhlac"
	unvalued  = "itdPq"
	unvaluedL = strings.Fields("--rm --init --detach --interactive --tty --privileged --read-only --publish-all " +
		"--no-healthcheck --oom-kill-disable --sig-proxy --quiet --help --disable-content-trust --replace --no-hosts " +
		"--env-host --rmi --rootfs --http-proxy --passwd --tls-verify --no-hostname --read-only-tmpfs --unsetenv-all")
	valuedL = strings.Fields("--add-host --annotation --attach --cap-add --cap-drop --cgroup-parent --cgroupns " +
		"--cidfile --cpu-period --cpu-quota --cpu-shares --cpus --cpuset-cpus --cpuset-mems --device --dns " +
		"--entrypoint --env --env-file --expose --gpus --group-add --hostname --ip --ipc --label --label-file --link " +
		"--log-driver --log-opt --mac-address --memory --memory-reservation --memory-swap --memory-swappiness " +
		"--mount " +
		"--name --network --net --network-alias --oom-score-adj --pid --pids-limit --platform --pod --publish --pull " +
		"--restart --runtime --secret --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl " +
		"--timeout --tmpfs --tz --ulimit --umask --user --userns --uts --volume --volumes-from --workdir")
)

// Container is a container's name, and the words that begin the commands of its engine: sudo docker. The zero value
// means none.
type Container struct {
	Engine []string
	Name   string
}

// Contained changes a command that starts a container so that its output can be read and the container ends with the
// job: without a terminal, in the foreground, with a name, and with an init process that reaps. Other
// commands are returned unchanged and without a container; note says what cannot be ended.
func Contained(command []string, name, label string) (changed []string, c Container, note string) {
	if len(command) < 2 {
		return command, c, ""
	}
	if as := asRoot(command); as > 0 {
		changed, c, note = Contained(command[as:], name, label)
		if changed = slices.Concat(command[:as], changed); c.Name != "" {
			c.Engine = slices.Concat(command[:as], c.Engine)
		} else if note == "" && wraps(command) {
			note = unknownNote
		}
		return changed, c, note
	}
	full, known := engines[filepath.Base(command[0])]
	if !known {
		if wraps(command) {
			note = unknownNote
		}
		return command, c, note
	}
	verb := ofEngine(command)
	switch {
	case verb == len(command):
		return command, c, ""
	case full && command[verb] == "exec":
		return command, c, "a process in a container that runs already is not ended with the job: jtune can end " +
			"only the client; run a container of its own, or read the job's log"
	case full && slices.Contains(others, command[verb]):
		return command, c, unknownNote
	case command[verb] != "run":
		return command, c, ""
	}
	head, rest := slices.Clone(command[:verb+1]), command[verb+1:]
	var options []string
	init, named := false, ""
	i := 0
	for i < len(rest) && strings.HasPrefix(rest[i], "-") && rest[i] != "--" {
		word := rest[i]
		i++
		key, value, joined := strings.Cut(word, "=")
		switch {
		case key == "--tty" || key == "--detach" || word == "-t" || word == "-d":
			continue
		case !strings.HasPrefix(word, "--"):
			if word = inForeground(word); word == "-" {
				continue
			}
		}
		options = append(options, word)
		init = init || key == "--init"
		takes := strings.HasPrefix(word, "--") && !joined && !slices.Contains(unvaluedL, word) ||
			!strings.HasPrefix(word, "--") && strings.Contains(valued, word[len(word)-1:]) &&
				strings.Trim(word[1:len(word)-1], unvalued) == ""
		if strings.HasPrefix(word, "--") && takes && !slices.Contains(valuedL, word) {
			if i < len(rest) && strings.HasPrefix(rest[i], "-") {
				continue // it has no value
			}
			break
		}
		if takes && i < len(rest) {
			value = rest[i]
			options = append(options, value)
			i++
		}
		if key == "--name" {
			named = value
		}
	}
	if named == "" {
		named = name
		head = append(head, "--name", name, "--label", label)
	}
	if full && !init && HasInit(command[0]) {
		head = append(head, "--init")
	}
	engine := slices.DeleteFunc(slices.Clone(command[:verb]), func(word string) bool { return word == "container" })
	if !full {
		engine = []string{Default}
	}
	return slices.Concat(head, options, rest[i:]), Container{engine, named}, ""
}

// others are the verbs of an engine, besides run, that begin a container or enter one.
var others = []string{"attach", "compose", "exec", "start"}

const unknownNote = "the container of this command is not ended with the job: jtune can end only the client; begin " +
	"the command with docker run or sudo docker run, or read the job's log"

// wrappers are programs that start the command in their arguments.
var wrappers = strings.Fields("sudo doas env nice ionice nohup setsid stdbuf taskset chrt time timeout")

// wraps reports whether a command begins a container by means of another program: env A=1 docker run.
func wraps(command []string) bool {
	if !slices.Contains(wrappers, filepath.Base(command[0])) {
		return false
	}
	for i, word := range command {
		if _, known := engines[filepath.Base(word)]; known {
			verb := i + ofEngine(command[i:])
			return verb < len(command) && (command[verb] == "run" || slices.Contains(others, command[verb]))
		}
	}
	return false
}

// asRoot returns how many words before the engine raise its privileges: sudo -E docker run; 0: none.
func asRoot(command []string) int {
	if filepath.Base(command[0]) != "sudo" {
		return 0
	}
	for i, word := range command[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return i + 1
		}
	}
	return 0
}

// podmanInits are the places where podman looks for the containers' init process, which has its own package.
var podmanInits = []string{
	"/usr/libexec/podman/catatonit",
	"/usr/lib/podman/catatonit",
	"/usr/local/libexec/podman/catatonit",
}

// HasInit reports whether an engine can start a container with an init process that reaps. Podman fails without one.
func HasInit(engine string) bool {
	if filepath.Base(engine) != "podman" {
		return true
	}
	_, err := exec.LookPath("catatonit")
	return err == nil || slices.ContainsFunc(podmanInits, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
}

// ofEngine returns the index of the engine's verb, after global options and their values: docker --context x run.
func ofEngine(command []string) (verb int) {
	for verb = 1; verb < len(command); verb++ {
		option := strings.HasPrefix(command[verb], "-")
		value := verb > 1 && strings.HasPrefix(command[verb-1], "-") && !strings.Contains(command[verb-1], "=")
		does := command[verb] == "run" || command[verb] == "exec"
		if !option && (does || !value) && command[verb] != "container" {
			break
		}
	}
	return verb
}

// Exists reports whether the container exists.
func (c Container) Exists() bool {
	_, err := c.ask("container", "inspect", c.Name)
	return err == nil
}

// Remove ends and removes the container; it usually fails, because there is none. Podman's rm sends TERM, and while
// another of its clients waits for that, rm forgets the container and leaves its processes running; hence the kill.
func (c Container) Remove() {
	_, _ = c.ask("kill", c.Name)
	_, _ = c.ask("rm", "-f", c.Name)
}

// RemoveLeft removes the containers with a label whose names alive does not know.
func (c Container) RemoveLeft(label string, alive func(name string) bool) {
	list, err := c.ask("ps", "-a", "--filter", "label="+label, "--format", "{{.Names}}")
	if err != nil {
		return
	}
	for _, name := range strings.Fields(list) {
		if !alive(name) {
			Container{c.Engine, name}.Remove()
		}
	}
}

// ask runs the engine.
func (c Container) ask(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	words := slices.Concat(c.Engine, args)
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	return string(out), err
}

// inForeground is a word of one-letter options without -t and -d. The first option with a value is the last: -tv,
// -itv/a:/b.
func inForeground(word string) string {
	value := strings.TrimLeft(word[1:], unvalued)
	if value != "" && !strings.Contains(valued, value[:1]) {
		return word
	}
	flags := strings.TrimSuffix(word[1:], value)
	return "-" + strings.NewReplacer("t", "", "d", "").Replace(flags) + value
}
