package fleet

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
)

func TestPickTakesNamesOrAGroupOrAll(t *testing.T) {
	t.Parallel()
	all := []Board{{Name: "c", Group: "lab"}, {Name: "a"}, {Name: "b", Group: "lab"}}
	for name, c := range map[string]struct {
		names []string
		group string
		want  string // or what the error says
	}{
		"all":           {nil, "", "a b c"},
		"a group":       {nil, "lab", "b c"},
		"names":         {[]string{"c", "a", "c"}, "", "a c"},
		"no such name":  {[]string{"d"}, "", `no board "d" in the configuration; it has a, b, c`},
		"no such group": {nil, "x", `no board of group "x" in the configuration; it has a, b, c`},
	} {
		picked, err := Pick(all, c.names, c.group)
		var got []string
		for _, b := range picked {
			got = append(got, b.Name)
		}
		if err != nil {
			got = []string{err.Error()}
		}
		must.Equal(t, strings.Join(got, " "), c.want, name)
	}
	must.Fail(t, must.Err(Pick(nil, nil, "")), "[board.NAME]")
}

func TestBoardFaultsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		b   Board
		key string
		bad bool
	}{
		"good":                   {Board{Name: "a", SSH: "me@a"}, "", false},
		"with a port":            {Board{Name: "a", SSH: "ssh://me@a:2222"}, "", false},
		"no destination":         {Board{Name: "a"}, "ssh", true},
		"an option in its place": {Board{Name: "a", SSH: "-oProxyCommand=x"}, "ssh", true},
		"two words":              {Board{Name: "a", SSH: "a -v"}, "ssh", true},
		"a path as its name":     {Board{Name: "../a", SSH: "a"}, "", true},
	} {
		if key, why := c.b.Fault(); key != c.key || (why != "") != c.bad {
			t.Errorf("%s: %q %q", name, key, why)
		}
	}
}

func TestCommandQuotesForTheShellThere(t *testing.T) {
	t.Parallel()
	b := Board{SSH: "h", Args: []string{"--device", "virtual:nano"}, Options: []string{"-p", "2"}}
	must.Equal(t, b.Command("modes", "--filter", "cores>=2; rm x"),
		`jtune --device virtual:nano modes --filter 'cores>=2; rm x'`)
	const want = "ssh -p 2 -t -- h jtune --device virtual:nano watch"
	must.Equal(t, strings.Join(b.Terminal(true, "watch"), " "), want)
}

// TestEachWorksOnSomeAtATime: as many as it says, all of them, and the results in order.
func TestEachWorksOnSomeAtATime(t *testing.T) {
	t.Parallel()
	boards := make([]Board, 3*atOnce)
	for i := range boards {
		boards[i].Name = string(rune('a' + i))
	}
	var now, most atomic.Int32
	list := Each(t.Context(), boards, func(_ context.Context, b Board) Result {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		return Result{Board: b, Code: int(b.Name[0]-'a') % 4}
	})
	for i, r := range list {
		must.Equal(t, r.Board.Name, boards[i].Name, i)
	}
	if n := most.Load(); n > atOnce || n < 2 || Worst(list) != 3 || Worst(nil) != 0 {
		t.Errorf("%d at a time, worst %d", n, Worst(list))
	}
}

func TestShardsGoOnWithTheSamePlanOnly(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "parts")
	boards := []Board{{Name: "a"}, {Name: "b"}}
	first := must.Get(OpenShards(dir, boards, []string{"lstm", "--sample", "8"}))(t)
	second, err := OpenShards(dir, boards, []string{"lstm", "--sample", "8"})
	if err != nil || second.ID != first.ID || len(second.Parts()) != 2 || second.number(boards[1]) != 2 {
		t.Errorf("%+v, %v", second, err)
	}
	for name, open := range map[string]func() (*Shards, error){
		"other boards":    func() (*Shards, error) { return OpenShards(dir, boards[:1], first.Args) },
		"other arguments": func() (*Shards, error) { return OpenShards(dir, boards, []string{"lstm"}) },
	} {
		if _, err := open(); !errors.Is(err, ErrOtherPlan) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must.NoError(t, os.WriteFile(filepath.Join(dir, shardsFile), []byte(`{"id":"../x"`), 0o644))
	must.Fail(t, must.Err(OpenShards(dir, boards, first.Args)))
}

// The file may be somebody else's, and the boards' shells get its id.
func TestShardsTakeNoIDThatAShellWouldRun(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"x; id > /tmp/x; echo", "$(id)", "`id`", "20260101-0123456789abcdef\n", "", "..", "-x",
		"20260101-0123456789abcdef/..", "20260101-0123456789ABCDEF"} {
		dir := t.TempDir()
		data := must.Get(json.Marshal(Shards{ID: id, Boards: []string{"a"}, Args: []string{"lstm"}}))(t)
		must.NoError(t, os.WriteFile(filepath.Join(dir, shardsFile), data, 0o644))
		if s, err := OpenShards(dir, []Board{{Name: "a"}}, []string{"lstm"}); err == nil {
			t.Errorf("%q is taken: %+v", id, s)
		}
	}
}

// TestUnpackTakesNothingThatLeadsElsewhere: the stream is of another machine.
func TestUnpackTakesNothingThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		h   tar.Header
		bad bool
	}{
		"a file":           {tar.Header{Name: "./modes.csv", Typeflag: tar.TypeReg}, false},
		"a folder":         {tar.Header{Name: "./runs", Typeflag: tar.TypeDir, Mode: 0o755}, false},
		"the folder above": {tar.Header{Name: "../x", Typeflag: tar.TypeReg}, true},
		"from the root":    {tar.Header{Name: "/etc/x", Typeflag: tar.TypeReg}, true},
		"a link":           {tar.Header{Name: "x", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}, true},
		"a device":         {tar.Header{Name: "x", Typeflag: tar.TypeBlock}, true},
	} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		must.NoError(t, errors.Join(w.WriteHeader(&c.h), w.Close()))
		dir := t.TempDir()
		must.Equal(t, unpack(&b, dir) != nil, c.bad, name)
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 == c.bad {
			t.Errorf("%s: %v is there, %v", name, list, err)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	must.NoError(f, errors.Join(w.WriteHeader(&tar.Header{Name: "x", Size: 1, Typeflag: tar.TypeReg}), func() error {
		_, err := w.Write([]byte("1"))
		return err
	}(), w.Close()))
	f.Add(b.Bytes())
	parent := f.TempDir()
	dir := filepath.Join(parent, "in")
	f.Fuzz(func(t *testing.T, data []byte) {
		defer reliability.Input(t)()
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { // empty where it is there
			t.Fatal(err)
		}
		_ = unpack(bytes.NewReader(data), dir)
		must.Equal(t, len(must.Get(os.ReadDir(parent))(t)), 1)
		if os.Remove(dir) == nil { // it was empty
			return
		}
		must.NoError(t, os.RemoveAll(dir))
	})
}
