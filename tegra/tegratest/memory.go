package tegratest

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"jtune/tegra"
)

// mostRead is the limit of tegra.DiskFS.
const mostRead = 1 << 20

// Memory is the FS of a tree without a disk, for tests that open a board thousands of times. It acts like tegra.DiskFS:
// files can be written, but no name appears or disappears.
type Memory struct {
	*tegra.Nodes
	tree *Tree

	mu  sync.Mutex
	now map[string]string // content of the files that were written, by resolved name
}

var _ tegra.FS = (*Memory)(nil)

// NewMemory returns the FS of a tree, which must not change from now on.
func NewMemory(tr *Tree) *Memory {
	m := &Memory{tree: tr, now: map[string]string{}}
	m.Nodes = &tegra.Nodes{Enter: func() func() { m.mu.Lock(); return m.mu.Unlock }}
	for name := range tr.Files {
		if dir, is := strings.CutSuffix(name, "/"); is {
			m.AddNew(dir, &tegra.Node{})
			continue
		}
		content := func() string { return m.content(name) }
		m.Add(name, &tegra.Node{
			Get:  content,
			Set:  func(text string) error { m.set(name, text); return nil },
			Size: func() int64 { return int64(len(content())) },
			Fails: func() error {
				if len(content()) > mostRead {
					return fmt.Errorf("larger than %d bytes", mostRead)
				}
				return nil
			},
		})
	}
	for name, target := range tr.Links {
		m.Add(name, &tegra.Node{Link: target})
	}
	return m
}

// Set writes a file of the tree as another program would.
func (m *Memory) Set(name, content string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(name, content)
}

func (m *Memory) set(at, content string) {
	if content == m.tree.Files[at] {
		delete(m.now, at)
	} else {
		m.now[at] = content
	}
}

// Changes returns the files whose content is not the tree's, with their content.
func (m *Memory) Changes() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.now)
}

// Reset gives all files the tree's content.
func (m *Memory) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.now)
}

func (m *Memory) content(at string) string {
	if text, ok := m.now[at]; ok {
		return text
	}
	return m.tree.Files[at]
}
