package virtual

import (
	"bytes"
	"errors"
	"io/fs"
	"syscall"
)

// handle is an open file. Reading at offset 0 refreshes the content, as in kernel files; a file that has vanished
// returns ENODEV.
type handle struct {
	files
	node        *node
	name, where string
	content     []byte
	closed      bool
}

func (h *handle) check() error {
	switch {
	case h.closed:
		return fs.ErrClosed
	case h.node.absent():
		return syscall.ENODEV
	}
	return nil
}

func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	defer h.b.enter()()
	if off < 0 {
		return 0, failed("read", h.name, errors.New("negative offset"))
	}
	err := h.check()
	if err == nil && (off == 0 || h.content == nil) {
		h.content, err = h.read(h.node, h.name, h.where)
	}
	if err != nil {
		return 0, failed("read", h.name, err)
	}
	return bytes.NewReader(h.content).ReadAt(p, off)
}

func (h *handle) Close() error {
	defer h.b.enter()()
	if h.closed {
		return failed("close", h.name, fs.ErrClosed)
	}
	h.closed = true
	return nil
}
