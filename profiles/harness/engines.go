package harness

import (
	"path/filepath"
	"slices"
	"strings"
)

// engines are the programs that begin containers, and whether they take docker's options themselves.
var engines = map[string]bool{"docker": true, "podman": true, "nerdctl": true, "jetson-containers": false}

// valued are docker's short options whose value may be the next word, and the long ones that take none.
var (
	valued    = "vewupmhlac"
	unvaluedL = strings.Fields("--rm --init --detach --interactive --tty --privileged --read-only --publish-all " +
		"--no-healthcheck --oom-kill-disable --sig-proxy --quiet --help --disable-content-trust --replace --no-hosts")
)

// Contained is a command that begins a container, changed so that its output can be read and the container ends with
// the job: without a terminal, with a name, and with a first process that reaps. remove is the command that ends the
// container. Another command is returned unchanged, without remove; note says what cannot be ended.
func Contained(command []string, name string) (changed, remove []string, note string) {
	if len(command) < 2 {
		return command, nil, ""
	}
	full, known := engines[filepath.Base(command[0])]
	if !known {
		return command, nil, ""
	}
	if at := slices.Index(command, "exec"); full && (at == 1 || at == 2 && command[1] == "container") {
		return command, nil, "a process in a container that runs already is not ended with the job: jtune can end " +
			"only " +
			"the client; run a container of its own, or read the job's log"
	}
	run := slices.Index(command, "run")
	if run != 1 && !(run == 2 && command[1] == "container") {
		return command, nil, ""
	}
	head, rest := slices.Clone(command[:run+1]), command[run+1:]
	var options []string
	init, named := false, ""
	i := 0
	for i < len(rest) && strings.HasPrefix(rest[i], "-") && rest[i] != "--" {
		word := rest[i]
		i++
		key, value, joined := strings.Cut(word, "=")
		switch {
		case key == "--tty" || word == "-t":
			continue
		case strings.HasPrefix(word, "--"):
		case short(word):
			if word = strings.ReplaceAll(word, "t", ""); word == "-" {
				continue
			}
		}
		options = append(options, word)
		init = init || key == "--init"
		takes := strings.HasPrefix(word, "--") && !joined && !slices.Contains(unvaluedL, word) ||
			len(word) == 2 && strings.Contains(valued, word[1:])
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
		head = append(head, "--name", name)
	}
	if full && !init {
		head = append(head, "--init")
	}
	engine := command[0]
	if !full {
		engine = DefaultEngine
	}
	return slices.Concat(head, options, rest[i:]), []string{engine, "rm", "-f", named}, ""
}

// short reports whether a word is several of docker's one-letter options without values, such as -it.
func short(word string) bool {
	return len(word) > 1 && word[0] == '-' && strings.Trim(word[1:], "itdPq") == ""
}
