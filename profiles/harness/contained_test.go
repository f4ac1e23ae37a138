package harness

import (
	"errors"
	"os"
	"strings"
	"testing"

	"jtune/profiles/harness/detect"
)

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
