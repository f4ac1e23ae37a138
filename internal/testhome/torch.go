package testhome

import (
	_ "embed"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Python is Debian's interpreter, possibly with PyTorch.
const Python = "/usr/bin/python3"

//go:embed loaded.py
var server []byte

// interpreter is the server of PyTorch; it ends with its standard input, which the test program holds open.
type interpreter struct {
	path  string
	stdin io.Closer
}

// loaded starts the server of PyTorch, once in a test program.
var loaded = sync.OnceValues(func() (out interpreter, err error) {
	look := "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
	if err := exec.Command(Python, "-c", look).Run(); err != nil {
		return out, err
	}
	folder, err := os.MkdirTemp(os.Getenv("XDG_STATE_HOME"), "torch") // Set's folder
	if err != nil {
		return out, err
	}
	python := filepath.Join(folder, "python3")
	if err := os.WriteFile(python, server, 0o755); err != nil {
		return out, err
	}
	at := &net.UnixAddr{Name: filepath.Join(folder, "socket"), Net: "unixpacket"}
	listener, err := net.ListenUnix(at.Net, at)
	if err != nil {
		return out, err
	}
	file, err := listener.File()
	if err != nil {
		return out, err
	}
	cmd := exec.Command(Python, "-B", python, "serve")
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, []*os.File{file}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return out, err
	}
	return interpreter{python, stdin}, cmd.Start()
})

// Torch returns an interpreter that has loaded PyTorch already; the test skips where none is installed.
func Torch(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	python, err := loaded()
	if err != nil {
		t.Skipf("%s has no torch (%v): install python3-torch to run this test", Python, err)
	}
	return python.path
}
