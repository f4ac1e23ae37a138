package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/profiles/harness/engine"
	"jtune/tegra/tegratest"
)

// fakeEngine is a script that notes how it is called and, told to run, trains
// until it is removed by name.
func fakeEngine(t *testing.T) (engine, calls string) {
	t.Helper()
	dir := t.TempDir()
	engine, calls = filepath.Join(dir, "docker"), filepath.Join(dir, "calls")
	script := `#!/bin/sh
echo "$*" >> ` + calls + `
case $1 in
run) trap '' TERM; echo $$ > ` + dir + `/client
     echo '{"event":"hello","protocol":1}'
     while [ ! -e ` + dir + `/gone ]; do echo '{"event":"minibatch","time_ms":5}'; sleep 0.05; done ;;
rm) sleep 0.2 # a killed client may not be gone yet, or be a zombie
    case $(cut -d' ' -f3 /proc/$(cat ` + dir + `/client)/stat 2>/dev/null) in ''|Z|X) ;; *) touch ` + dir + `/late ;; esac
    [ "$(wc -l < ` + calls + `)" -eq 1 ] && { echo "No such container" >&2; exit 1; }
    touch ` + dir + `/gone ;;
esac
`
	tegratest.Program(t, engine, script)
	return engine, calls
}

// nameIn returns the container's name in the calls of fakeEngine.
func nameIn(calls string) string {
	_, after, _ := strings.Cut(calls, "--name ")
	name, _, _ := strings.Cut(after, " ")
	return name
}

// Containers whose owners are dead are removed, also if the process number came again; two of one process differ.
func TestContainerOfADeadOwnerIsRemoved(t *testing.T) {
	t.Parallel()
	mine, other := containerName("a-b"), containerName("a-b")
	dead := strings.Replace(mine, "-"+strconv.Itoa(os.Getpid())+"-", "-4194999-", 1)
	again := mine[:strings.LastIndex(mine[:strings.LastIndex(mine, "-")], "-")] + "-1-1" // the number came again
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	docker := filepath.Join(dir, "docker")
	names := strings.Join([]string{mine, dead, again, other, "jtune"}, "\n")
	tegratest.Program(t, docker, "#!/bin/sh\necho \"$*\" >> "+calls+"\n[ $1 = ps ] && echo '"+names+"' || true\n")
	engine.Container{Engine: []string{docker}, Name: mine}.RemoveLeft(ownersLabel(), owned)
	text, _ := os.ReadFile(calls)
	_, removed, _ := strings.Cut(string(text), "\n")
	if want := "kill " + dead + "\nrm -f " + dead + "\nkill " + again + "\nrm -f " + again + "\n"; mine == other ||
		removed != want {
		t.Errorf("removed:\n%s\nwant %s and %s", removed, dead, again)
	}
}

func TestContainerIsRunAndEndedByItsName(t *testing.T) {
	t.Parallel()
	engine, calls := fakeEngine(t)
	h, err := Exec(t.Context(), ExecOptions{Command: []string{"python3", "train.py"}, Name: "mynet", Dir: "/work",
		Env: map[string]string{"JTUNE_BATCH": "16", "A": "b c"},
		Container: Container{Image: "l4t-ml:r35", Engine: engine, Runtime: "nvidia",
			Mounts: []string{"/data:/data:ro"}, Flags: []string{"--user=1000:1000"}}})
	must.NoError(t, err)
	for kind := Kind(""); kind != Minibatch; {
		e, err := h.Next(t.Context())
		must.NoError(t, err)
		kind = e.Kind
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	must.NoError(t, h.Stop(ctx))
	for err == nil {
		_, err = h.Next(t.Context())
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("after Stop: %v", err)
	}
	text, _ := os.ReadFile(calls)
	name, label := nameIn(string(text)), ownersLabel()
	want := "ps -a --filter label=" + label + " --format {{.Names}}\n" +
		"run --rm --init --name " + name + " --label " + label + " --ipc=host --runtime nvidia " +
		"-e PYTHONUNBUFFERED=1 -e A=b c -e " +
		"JTUNE_BATCH=16 -v /data:/data:ro -w /work --user=1000:1000 l4t-ml:r35 python3 train.py\n" +
		"kill " + name + "\nrm -f " + name + "\n"
	if string(text) != want || !strings.HasPrefix(name, "jtune-mynet-") || !owned(name) {
		t.Errorf("the engine was called so:\n%s\nwant\n%s", text, want)
	}
}

func TestContainerDoesNotOutliveAJtuneThatIsKilled(t *testing.T) {
	t.Parallel()
	engine, calls := fakeEngine(t)
	self := exec.Command(os.Args[0])
	self.Env = append(os.Environ(), "JTUNE_TEST_JOB=true", "JTUNE_TEST_ENGINE="+engine)
	must.NoError(t, self.Start())
	wait := func(lines int) (text string) {
		must.Until(t, fmt.Sprintf("the engine is called %d times", lines), func() bool {
			said, _ := os.ReadFile(calls)
			text = string(said)
			return strings.Count(text, "\n") == lines
		})
		return text
	}
	wait(2)
	self.Process.Kill()
	self.Wait()
	text := wait(4)
	if name := nameIn(text); !strings.HasSuffix(text, "\nkill "+name+"\nrm -f "+name+"\n") || owned(name) {
		t.Errorf("the engine was called so:\n%s; its name has a living owner: %v", text, owned(name))
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(calls), "late")); err == nil {
		t.Error("its client still ran when the container was removed, and could create another")
	}
}

func TestContainerNoEngineIsAnErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	_, err := Exec(t.Context(), ExecOptions{Command: []string{"true"}, Name: "x",
		Container: Container{Image: "i", Engine: "/no/such/docker"}})
	if err == nil || !strings.Contains(err.Error(), "/no/such/docker") {
		t.Errorf("got %v", err)
	}
}
