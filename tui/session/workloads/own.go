package workloads

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"jtune/internal/tomlfile"
	"jtune/internal/usage"
	"jtune/profiles/harness/detect"
	"jtune/profiles/workload"
	"jtune/tegra/virtual"
	"jtune/tui/session"
)

// Typed is a user's job as typed: the command, and what cannot be detected from its output.
type Typed struct {
	Command []string
	Dir     string   // working directory; "": the present folder
	Env     []string // K=V, added to the environment
	Dataset int      // samples per epoch; 0: not given
	Unit    string   // token, frame, inference; "": detected
	Counts  string   // steps or samples: what its counter counts; "": detected
	Kind    string   // train or infer; "": detected
	Pattern string   // a regular expression, or the name of a form; "": detected
}

// Name returns the name of the job: its script or program, without folder and extension.
func (t Typed) Name() string {
	words := slices.DeleteFunc(slices.Clone(t.Command[1:]), func(w string) bool { return strings.HasPrefix(w, "-") })
	name := filepath.Base(t.Command[0])
	runs := regexp.MustCompile(`^(python[\d.]*|bash|sh|dash|node|ruby|perl|julia|env|nice|uv|poetry|conda|torchrun|` +
		`accelerate|deepspeed|time|sudo)$`)
	for _, w := range words {
		if !runs.MatchString(name) {
			break
		}
		if base := filepath.Base(w); scriptName.MatchString(base) || runs.MatchString(base) {
			name = base
		}
	}
	if image := t.image(); image != "" {
		name = image
	}
	name = strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9._-]+`).ReplaceAllString(name, "-"), "-._")
	return cmp.Or(name[:min(len(name), 64)], "job")
}

// scriptName matches a word that may be the name of a program.
var scriptName = regexp.MustCompile(`^[A-Za-z][\w-]*(\.\w+)?$`)

// image returns the Python script that a container runs; "" if there is none.
func (t Typed) image() string {
	for i := len(t.Command) - 1; i > 0; i-- {
		if base := filepath.Base(t.Command[i]); containers(t.Command) && strings.HasSuffix(base, ".py") {
			return base
		}
	}
	return ""
}

// containers reports whether a command starts a container.
func containers(command []string) bool {
	if len(command) < 2 {
		return false
	}
	if filepath.Base(command[0]) == "sudo" {
		command = command[1:]
	}
	engine := filepath.Base(command[0])
	return slices.Contains([]string{"docker", "podman", "nerdctl", "jetson-containers"}, engine) &&
		slices.Contains(command, "run")
}

// Workload converts the job to a workload.
func (t Typed) Workload(s *session.Session) (w workload.Workload, err error) {
	if s.Replays() {
		return w, usage.Errorf("a replay answers from its file: it runs no command")
	}
	w = workload.Own(t.Name(), t.Command)
	w.Dir, w.Samples, w.Unit, w.Counts, w.Kind, w.Pattern = t.Dir, t.Dataset, t.Unit, t.Counts, t.Kind, t.Pattern
	if w.Unit != "" && w.Kind == "" {
		w.Kind = workload.Inference
	}
	if w.Dir == "" {
		w.Dir, _ = filepath.Abs(".")
	} else if w.Dir, err = filepath.Abs(w.Dir); err != nil {
		return w, usage.Of(err)
	}
	if w, err = w.WithEnv(t.Env); err != nil {
		return w, usage.Of(err)
	}
	if w.Infers() {
		w.Batch = 1
	}
	if err := w.Check(); err != nil {
		return w, usage.Of(err)
	}
	return OnHost(s, w), nil
}

// OnHost marks a user's command that really runs while the board is virtual: a virtual board simulates only the
// built-in workloads.
func OnHost(s *session.Session, w workload.Workload) workload.Workload {
	w.OnHost = s.Virtual != nil && !s.Replays() && w.Own && len(w.Command) > 0 && !w.Serves() &&
		w.Torch.Net == "" && !virtual.Simulates(w.Name)
	return w
}

// TypedSized is Typed.Workload with the batch sizes to choose among, like FindSized for named workloads.
func TypedSized(s *session.Session, t Typed) (w workload.Workload, sizes []int, err error) {
	if w, err = t.Workload(s); err != nil {
		return w, nil, err
	}
	return sized(s, w)
}

// Learned adds to a workload what the first steps of its job revealed.
func Learned(w workload.Workload, r detect.Reading) workload.Workload {
	switch r.Unit {
	case detect.Frame, detect.Token, detect.Inference, detect.Request, detect.Run:
		if w.Kind == "" {
			w.Kind, w.Batch = workload.Inference, 1
			w.Unit = map[string]string{detect.Frame: workload.UnitFrame, detect.Token: workload.UnitToken}[r.Unit]
		}
	}
	if r.Samples > 0 && w.Batch != r.Samples && w.Kind != workload.Inference {
		w.Batch = r.Samples
	}
	if w.Samples == 0 && r.Of > 0 && r.Unit == detect.Step {
		w.Samples = r.Of * w.Batch
	}
	return w
}

// SaveText returns the table of the configuration file that defines a job.
func SaveText(name string, w workload.Workload) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[workload.%s]\n", tomlfile.Key(name))
	quoted := make([]string, len(w.Command))
	for i, word := range w.Command {
		quoted[i] = tomlfile.Quote(word)
	}
	fmt.Fprintf(&b, "command = [%s]\n", strings.Join(quoted, ", "))
	for _, k := range []struct{ key, v string }{{"dir", w.Dir}, {"kind", w.Kind}, {"unit", w.Unit}, {"per", w.Per},
		{"counts", w.Counts}, {"pattern", w.Pattern}} {
		if k.v != "" {
			fmt.Fprintf(&b, "%s = %s\n", k.key, tomlfile.Quote(k.v))
		}
	}
	if w.Batch > 1 || w.Batch == 1 && !w.Infers() { // inference has 1 by default
		fmt.Fprintf(&b, "batch = %d\n", w.Batch)
	}
	if w.Samples > 0 {
		fmt.Fprintf(&b, "samples = %d\n", w.Samples)
	}
	var env []string
	for k, v := range w.Env {
		env = append(env, fmt.Sprintf("%s = %s", tomlfile.Quote(k), tomlfile.Quote(v)))
	}
	if slices.Sort(env); len(env) > 0 {
		fmt.Fprintf(&b, "env = { %s }\n", strings.Join(env, ", "))
	}
	return b.String()
}
