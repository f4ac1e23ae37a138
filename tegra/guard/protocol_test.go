package guard

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// serveText serves lines on a fake root and returns the answers.
func serveText(t *testing.T, fsys tegra.FS, text string) []response {
	t.Helper()
	s := must.Get(NewServer(fsys, tegra.RealClock(), ServerOptions{}))(t)
	return serveBy(t, s, text)
}

// serveBy is serveText for a server.
func serveBy(t *testing.T, s *Server, text string) []response {
	t.Helper()
	var out bytes.Buffer
	must.NoError(t, Serve(context.Background(), strings.NewReader(text), &out, s))
	var answers []response
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var r response
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("answer %q: %v", lines.Text(), err)
		}
		answers = append(answers, r)
	}
	return answers
}

func TestServeAnswersWhatIsNoRequestWithAnError(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	before := tegratest.Contents(t, root)
	for name, line := range map[string]string{
		"no JSON":            "hello",
		"an empty line":      "",
		"another shape":      `[1,2]`,
		"an unknown request": `{"id":1,"op":"exec","path":"/bin/sh"}`,
		"a mode of zeroes":   `{"id":1,"op":"apply","mode":{}}`,
		"an overflowing mode": `{"id":1,"op":"apply","mode":{"cores":12,"cpu_khz":9223372036854775807,"gpu_hz":1,` +
			`"mem_hz":1}}`,
		"a path of one's own": `{"id":1,"op":"read","path":"/etc/shadow"}`,
		"a line too long":     `{"id":1,"op":"` + strings.Repeat("x", 1<<18) + `"}`,
	} {
		answers := serveText(t, tegra.DiskFS(root),
			line+"\n"+`{"id":2,"op":"read","path":"`+tegratest.EMC+`/rate"}`+"\n")
		failed := func(r response) bool { return r.Error != "" }
		read := func(r response) bool { return r.ID == 2 && string(r.Data) == "2133000000\n" }
		if len(answers) != 4 || answers[0].Event != "ready" || !slices.ContainsFunc(answers, failed) ||
			!slices.ContainsFunc(answers, read) || answers[3].Event != "ended" {
			t.Errorf("%s: answers %+v; want ready, an error, the next request's data, ended", name, answers)
		}
	}
	wantSame(t, before, root, "after nonsense")
}

func TestServeIgnoresATornRequest(t *testing.T) {
	t.Parallel()
	root := tegratest.AGXOrin35(t)
	k := tegratest.NewKernel(tegra.DiskFS(root))
	serveText(t, k, `{"id":1,"op":"apply","mode":{"cores":2,"cpu_khz":268800,"gpu_hz":114750000,"mem_hz":204000000}}`)
	if got := k.Writes(); len(got) > 0 {
		t.Errorf("a line without its end was carried out: %v", got)
	}
}

func TestResponseKeepsTheKindOfAnError(t *testing.T) {
	t.Parallel()
	for _, kind := range []error{tegra.ErrPermission, tegra.ErrNoDevice, tegra.ErrUnsupported, ErrBusy, ErrReverted,
		ErrNothing} {
		sent := response{ID: 1}.failed(withKind("write", kind))
		if err := sent.err(); !errors.Is(err, kind) || !strings.Contains(err.Error(), "write") {
			t.Errorf("%v arrives as %v", kind, err)
		}
	}
	if err := (response{ID: 1}).failed(errors.New("plain")).err(); err.Error() != "plain" || errors.Unwrap(err) != nil {
		t.Errorf("%v", err)
	}
}

func TestClientReturnsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	answers, guard := io.Pipe()
	go io.WriteString(guard, `{"event":"ready","pid":1}`+"\n")
	go io.Copy(io.Discard, in)
	c := must.Get(connect(out, answers))(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := c.Restore(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	guard.Close()
	if _, err := c.Restore(context.Background()); !errors.Is(err, ErrGone) {
		t.Errorf("after its end: %v, want ErrGone", err)
	}
}

func TestClientRejectsAGuardThatIsNotReady(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"", "hello\n", `{"event":"failed","error":"no","code":"permission"}` + "\n"} {
		in, out := io.Pipe()
		go io.Copy(io.Discard, in)
		if _, err := connect(out, strings.NewReader(first)); err == nil {
			t.Errorf("%q is taken for a guard", first)
		}
	}
}

// FuzzServe feeds lines to a guard: it must answer, never crash, and restore the board.
func FuzzServe(f *testing.F) {
	board := tegratest.NewMemory(tegratest.NewAGXOrin35())
	first := must.Get(NewServer(board, tegra.RealClock(), ServerOptions{}))(f)
	f.Add(`{"id":1,"op":"apply","mode":{"cores":2,"cpu_khz":268800,"gpu_hz":114750000,"mem_hz":204000000},` +
		`"dvfs":true,"fan":"max"}` + "\n" + `{"id":2,"op":"revert"}` + "\n")
	f.Add(`{"op":"restore"}` + "\n" + `{"op":"recover"}` + "\n" + `{"op":"keep"}` + "\n")
	f.Add("\x00\n{}\n[]\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		defer reliability.Input(t)()
		if strings.Contains(text, "keep") {
			text = strings.ReplaceAll(text, "keep", "kept") // what is kept stays: that is no find
		}
		serveBy(t, fresh(first), text)
		if changed := board.Changes(); len(changed) > 0 {
			t.Errorf("after serving: %q", changed)
			board.Reset()
		}
	})
}
