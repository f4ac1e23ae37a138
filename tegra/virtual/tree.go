package virtual

import (
	"slices"
	"strings"
	"syscall"

	"jtune/tegra"
)

// place puts a node at an absolute path. Its functions are called with the board locked and its state up to date.
func (b *Board) place(name string, n *tegra.Node) *tegra.Node { return b.files.Add(name, n) }

func (b *Board) link(name, target string) *tegra.Node {
	return b.place(name, &tegra.Node{Link: target})
}

// show adds a read-only file.
func (b *Board) show(name string, get func() string) *tegra.Node {
	return b.place(name, &tegra.Node{Get: get})
}

// text adds a file of fixed content.
func (b *Board) text(name, content string) *tegra.Node {
	return b.show(name, func() string { return content })
}

// knob adds a readable and writable file.
func (b *Board) knob(name string, get func() string, set func(string) error) *tegra.Node {
	return b.place(name, &tegra.Node{Get: get, Set: func(text string) error {
		if text == "" {
			return syscall.EINVAL
		}
		return set(strings.TrimRight(text, "\n"))
	}})
}

// cell adds a knob that stores one of the allowed texts; none allowed: any text.
func (b *Board) cell(name string, value *string, allowed ...string) *tegra.Node {
	return b.knob(name, func() string { return *value + "\n" }, func(v string) error {
		if len(allowed) > 0 && !slices.Contains(allowed, v) {
			return syscall.EINVAL
		}
		*value = v
		return nil
	})
}

// faulty answers in place of a file that has a fault.
func (b *Board) faulty(name, at string, write bool) (text string, ok bool, err error) {
	switch f := b.fault(name, at, write); {
	case f == nil:
		return "", false, nil
	case write:
		return "", true, f.Write
	default:
		return f.Garbage, true, f.Read
	}
}
