package text

import "fmt"

// Lines are sentences that are found one after another.
type Lines []string

// Add adds a sentence.
func (l *Lines) Add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }
