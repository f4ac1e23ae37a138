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

// ends is the pipe whose end the server waits for: that of the test program.
var ends io.Closer

// loaded starts the server of PyTorch, once in a test program.
var loaded = sync.OnceValues(func() (python string, err error) {
	look := "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
	if err := exec.Command(Python, "-c", look).Run(); err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp(os.Getenv("XDG_STATE_HOME"), "torch") // Set's folder
	if err != nil {
		return "", err
	}
	python = filepath.Join(folder, "python3")
	if err := os.WriteFile(python, server, 0o755); err != nil {
		return "", err
	}
	at := &net.UnixAddr{Name: filepath.Join(folder, "socket"), Net: "unixpacket"}
	listener, err := net.ListenUnix(at.Net, at)
	if err != nil {
		return "", err
	}
	file, err := listener.File()
	if err != nil {
		return "", err
	}
	cmd := exec.Command(Python, "-B", python, "serve")
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, []*os.File{file}
	if ends, err = cmd.StdinPipe(); err != nil {
		return "", err
	}
	return python, cmd.Start()
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
	return python
}
