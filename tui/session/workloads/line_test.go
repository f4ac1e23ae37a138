package workloads

import (
	"slices"
	"testing"
)

func TestLineIsReadAsAShellWouldWithoutExpansions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"python3 train.py  --lr 0.1":       {"python3", "train.py", "--lr", "0.1"},
		`sh -c 'echo "step $i"; sleep 1'`:  {"sh", "-c", `echo "step $i"; sleep 1`},
		`./run "two words" a\ b ""`:        {"./run", "two words", "a b", ""},
		`./run "a \"quote\" and \n"`:       {"./run", `a "quote" and \n`},
		"CUDA=0 LR=1 python3 x=1 train.py": {"python3", "x=1", "train.py"},
	} {
		got, err := Typed{}.OfLine(line)
		if err != nil || !slices.Equal(got.Command, want) {
			t.Errorf("%s: %q, %v; want %q", line, got.Command, err, want)
		}
		again, err := Typed{}.OfLine(LineOf(got.Command))
		if err != nil || !slices.Equal(again.Command, want) {
			t.Errorf("%s: written as %s, read as %q, %v", line, LineOf(got.Command), again.Command, err)
		}
	}
	if got, err := (Typed{}).OfLine("A=1 B='x y' ./run"); err != nil ||
		!slices.Equal(got.Env, []string{"A=1", "B=x y"}) {
		t.Errorf("the environment is %q, %v", got.Env, err)
	}
	for _, line := range []string{"", "  ", "A=1", "a | b", "a > b", "a; b", "a && b", "a $HOME", "a `b`", "~/run", "a *",
		"'a", `"a`, `a\`} {
		if got, err := (Typed{}).OfLine(line); err == nil {
			t.Errorf("%q is taken as %q", line, got.Command)
		}
	}
}
