// Package lazyregexp compiles regular expressions at their first use. The program has over a hundred, each command
// needs a few of them, and the guard none: compiling all took a seventh of every start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled once, at its first use. It has the methods of regexp.Regexp that the
// program calls.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the expression. One that does not compile panics at its first use.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

// All returns several expressions.
func All(exprs ...string) (list []*Regexp) {
	for _, e := range exprs {
		list = append(list, New(e))
	}
	return list
}

func (r *Regexp) compiled() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

func (r *Regexp) SubexpIndex(name string) int          { return r.compiled().SubexpIndex(name) }
func (r *Regexp) MatchString(s string) bool            { return r.compiled().MatchString(s) }
func (r *Regexp) FindString(s string) string           { return r.compiled().FindString(s) }
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }
func (r *Regexp) ReplaceAll(src, with []byte) []byte     { return r.compiled().ReplaceAll(src, with) }

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) ReplaceAllString(src, with string) string {
	return r.compiled().ReplaceAllString(src, with)
}
