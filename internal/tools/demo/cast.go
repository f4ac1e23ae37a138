package main

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// cast collects a recording in asciicast v2: a header, then one line per piece
// of output with its time in seconds.
type cast struct {
	b    strings.Builder
	held []byte // the beginning of a rune whose end is still to come
}

func newCast(title string) *cast {
	c := &cast{}
	c.line(map[string]any{"version": 2, "width": columns, "height": rows, "title": title,
		"env": map[string]string{"TERM": "xterm-256color"}})
	return c
}

func (c *cast) line(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("demo: numbers and text cannot fail to be written")
	}
	c.b.Write(text)
	c.b.WriteByte('\n')
}

// add takes output; runes are not cut.
func (c *cast) add(at time.Duration, output []byte) {
	text := append(c.held, output...)
	end := len(text)
	for back := 1; back <= min(utf8.UTFMax, len(text)); back++ {
		if utf8.RuneStart(text[len(text)-back]) {
			if !utf8.FullRune(text[len(text)-back:]) {
				end = len(text) - back
			}
			break
		}
	}
	c.held = append([]byte(nil), text[end:]...)
	if end > 0 {
		c.line([]any{float64(at.Milliseconds()) / 1000, "o", string(text[:end])})
	}
}

// String is the file.
func (c *cast) String() string { return c.b.String() }
