package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"jtune/internal/must"
	"jtune/internal/tools/reliability"
	"jtune/tegra"
	"jtune/tegra/tegratest"
)

// of bundles a tree.
func of(t testing.TB, fsys tegra.FS, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	_, err := Write(&out, fsys, tegra.RealClock(), names...)
	must.NoError(t, err)
	return out.Bytes()
}

// plain is all of a bundle, unpacked.
func plain(t *testing.T, data []byte) string {
	t.Helper()
	zip := must.Get(gzip.NewReader(bytes.NewReader(data)))(t)
	text := must.Get(io.ReadAll(zip))(t)
	return string(text)
}

func TestWriteGivesEqualBytesForAnEqualBoard(t *testing.T) {
	t.Parallel()
	if fsys := tegra.DiskFS(tegratest.AGXOrin35(t)); !bytes.Equal(of(t, fsys), of(t, fsys)) {
		t.Error("two bundles of one tree differ")
	}
}

// TestWriteLeavesOutSecrets of files that are read, and in those next to them.
func TestWriteLeavesOutSecrets(t *testing.T) {
	t.Parallel()
	tree := tegratest.NewAGXOrin35()
	const conf = "/etc/nvpmodel/nvpmodel_p3701.conf" // nvpmodel.conf is a link to it
	tree.Files[conf] = "# written by alice for Wonderland Ltd\n" + tree.Files[conf] +
		"\n# 00:04:4b:c5:01:fe alice@example.org /home/alice/train.py serial 1421221034567\n"
	tree.Files["/etc/nv_tegra_release"] += "# built on whiterabbit by alice, /home/dormouse/out, unit X17-ab9\n"
	tree.Files["/proc/device-tree/model"] = "NVIDIA Jetson AGX Orin X17-ab9 48:B0:2D:11:22:33\x00"
	for name, text := range map[string]string{
		"/proc/device-tree/serial-number":         "X17-ab9\x00",
		"/etc/hostname":                           "whiterabbit\n",
		"/etc/machine-id":                         "0123456789abcdef0123456789abcdef\n",
		"/etc/passwd":                             "root:x:0:0::/root:\nalice:x:1000:1000:Alice L,,,:/home/alice:\n",
		"/proc/4242/cmdline":                      "python3\x00--password\x00hearts\x00",
		"/proc/4242/comm":                         "cheshire\n",
		"/sys/class/net/eth0/address":             "48:b0:2d:11:22:33\n",
		"/sys/kernel/debug/nvmap/iovmm/clients":   "CLIENT PROCESS PID SIZE\nuser cheshire 4242 19568K\ntotal 19568K\n",
		"/etc/systemd/system/queen.timer.service": "ExecStart=/home/alice/queen\n",
	} {
		tree.Files[name] = text
	}
	text := plain(t, of(t, tegra.DiskFS(tree.Write(t)), "dormouse"))
	for _, secret := range []string{
		"alice", "Alice", "Wonderland", "whiterabbit", "dormouse", "X17-ab9", "1421221034567", "00:04:4b", "48:B0",
		"48:b0", "0123456789abcdef", "hearts", "cheshire", "queen", "example.org", "4242",
	} {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%q is in the bundle: %q", secret, text[max(0, at-60):min(len(text), at+60)])
		}
	}
	for _, want := range []string{"NVIDIA Jetson AGX Orin " + scrubbed, "POWER_MODEL ID=0 NAME=MAXN", "# R35"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is no longer in the bundle", want)
		}
	}
}

// refusing denies access below a folder, and to one file's content.
type refusing struct {
	tegra.FS
	denied, off string
}

func (r refusing) Stat(name string) (fs.FileInfo, error) {
	if strings.HasPrefix(name, r.denied) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: syscall.EACCES}
	}
	return r.FS.Stat(name)
}

func (r refusing) ReadFile(name string) ([]byte, error) {
	if strings.HasPrefix(name, r.denied) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EACCES}
	}
	if name == r.off {
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EAGAIN}
	}
	return r.FS.ReadFile(name)
}

func (r refusing) Open(name string) (tegra.File, error) {
	if _, err := r.ReadFile(name); errors.Is(err, fs.ErrPermission) {
		return nil, err
	}
	return r.FS.Open(name)
}

func TestReadGivesTheErrorsOfTheBoard(t *testing.T) {
	t.Parallel()
	const off = "/sys/class/thermal/thermal_zone0/temp"
	board := refusing{tegra.DiskFS(tegratest.AGXOrin35(t)), "/sys/kernel/debug", off}
	fsys := must.Get(Read(bytes.NewReader(of(t, board))))(t)
	f := must.Get(fsys.Open(off))(t)
	if _, err := f.ReadAt(make([]byte, 8), 0); !errors.Is(err, syscall.EAGAIN) {
		t.Errorf("%s: got %v, want that it is powered down", off, err)
	}
	open := func(fsys tegra.FS) []tegra.Probe {
		t.Helper()
		s := must.Get(tegra.Open(fsys, tegra.RealClock()))(t)
		defer s.Close()
		return s.Probes()
	}
	got, want := open(fsys), open(board)
	if fmt.Sprint(got) != fmt.Sprint(want) || !strings.Contains(fmt.Sprint(got), "root only") {
		t.Errorf("sources of the bundle: %v\nof the board: %v", got, want)
	}
	if err := fsys.WriteFile(off, []byte("1")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("writing gives %v", err)
	}
}

// entry is a file of a made-up bundle.
type entry struct {
	header tar.Header
	data   []byte
}

func file(name, text string) entry {
	return entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Size: int64(len(text))}, []byte(text)}
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	return archiveBy(t, gzip.NewWriter(io.Discard), entries...)
}

// archiveBy is archive with a compressor that several archives share: a new one takes a megabyte.
func archiveBy(t testing.TB, zip *gzip.Writer, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip.Reset(&out)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		must.NoError(t, w.WriteHeader(&e.header))
		_, err := w.Write(e.data)
		must.NoError(t, err)
	}
	must.NoError(t, errors.Join(w.Close(), zip.Close()))
	return out.Bytes()
}

func TestReadRefusesWhatIsNoBundle(t *testing.T) {
	t.Parallel()
	head := file(notesFile, `{"format": 1}`)
	large := strings.Repeat("0", mostFile)
	bomb := []entry{head}
	for n := range mostTotal/mostFile + 1 {
		bomb = append(bomb, file(fmt.Sprintf("sys/%d", n), large))
	}
	many := []entry{head}
	for n := range mostNames + 1 {
		many = append(many, file(fmt.Sprintf("sys/%d", n), ""))
	}
	whole := archive(t, head, file("sys/a", "1"))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"text":                  {[]byte("no archive"), "not a bundle"},
		"cut off":               {whole[:len(whole)-12], "not a whole bundle"},
		"empty":                 {archive(t), "it is empty"},
		"another archive":       {archive(t, file("sys/a", "1")), "it begins with sys/a"},
		"notes of another form": {archive(t, file(notesFile, `{"format": 2}`)), "has format 2"},
		"notes that are none":   {archive(t, file(notesFile, `{`)), notesFile},
		"a link": {archive(t, head, entry{tar.Header{Name: "etc/a", Typeflag: tar.TypeSymlink, Linkname: "/"}, nil}),
			"etc/a in it is no regular file"},
		"a hard link": {archive(t, head, entry{tar.Header{Name: "etc/a", Typeflag: tar.TypeLink, Linkname: "a"}, nil}),
			"etc/a in it is no regular file"},
		"a device": {archive(t, head, entry{tar.Header{Name: "sys/a", Typeflag: tar.TypeChar}, nil}),
			"sys/a in it is no regular file"},
		"an absolute path":    {archive(t, head, file("/etc/a", "1")), "no device file's name"},
		"a path that leaves":  {archive(t, head, file("sys/../../a", "1")), "no device file's name"},
		"another folder":      {archive(t, head, file("root/.ssh/a", "1")), "no device file's name"},
		"a path of the notes": {archive(t, file(notesFile, `{"format":1,"folders":["/a/.."]}`)), "no device file"},
		"a large file":        {archive(t, head, file("sys/a", large+"0")), "larger than 1 MB"},
		"a bomb":              {archive(t, bomb...), "larger than 32 MB"},
		"too many files":      {archive(t, many...), "more than 20000 files"},
		"a large archive":     {append(whole[:20:20], make([]byte, MostBytes)...), ""},
	} {
		if _, err := Read(bytes.NewReader(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := Read(bytes.NewReader(whole)); err != nil {
		t.Errorf("a whole bundle: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":1}`), "sys/class/hwmon/hwmon0/name", []byte("ina3221\n"))
	f.Add([]byte(`{"format":1,"links":{"/sys/a":"b"},"unread":{"/proc/b":"EIO"}}`), "proc/stat", []byte("cpu 1"))
	zip := gzip.NewWriter(io.Discard)
	f.Fuzz(func(t *testing.T, notes []byte, name string, data []byte) {
		defer reliability.Input(t)()
		if strings.Contains(name, "\x00") || name == "" || strings.HasSuffix(name, "/") || // of no file
			len(data) > mostFile || len(notes) > mostFile {
			return
		}
		made := archiveBy(t, zip, file(notesFile, string(notes)), file(name, string(data)))
		if fsys, err := Read(bytes.NewReader(made)); err == nil {
			_, _ = fsys.Glob("/sys/*/*")
			if s, err := tegra.Open(fsys, tegra.RealClock()); err == nil {
				_, _ = s.Read()
				s.Close()
			}
		}
	})
}
