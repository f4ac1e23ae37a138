package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// Limits of the pages.
const (
	mostWords    = 20_000 // the pages for users
	mostColumns  = 300    // of a line outside tables
	mostSentence = 40     // in a sentence of README.md, the tutorial and the how-to pages
)

// limits are the maximum lines and words of pages, by the pattern of their path; 0 is none.
var limits = []struct {
	pattern      string
	lines, words int
	users        bool // for users
}{
	{"README.md", 150, 0, true}, {"docs/tutorial.md", 150, 0, true}, {"docs/howto/*.md", 200, 0, true},
	{"docs/screens.md", 250, 0, true}, {"docs/method.md", 450, 0, true}, {"docs/boards.md", 120, 0, true},
	{"docs/results.md", 300, 0, true}, {"docs/reference/*.md", 500, 0, true},
	{"SECURITY.md", 200, 0, false}, {"CONTRIBUTING.md", 250, 0, false}, {"docs/architecture.md", 250, 0, false},
	{"docs/features.md", 280, 0, false}, {"docs/promises.md", 60, 0, false}, {"docs/extending.md", 310, 0, false},
	{"docs/decisions/0[^3]*.md", 0, 400, false},
	{"docs/decisions/036*.md", 0, 600, false},
}

// pageFaults lists the pages that exceed a limit.
func pageFaults(folder string) (list []Finding, err error) {
	words := 0
	for _, limit := range limits {
		paths, err := filepath.Glob(filepath.Join(folder, limit.pattern))
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("no page %s in %s: %w", limit.pattern, folder, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			page, name := string(data), strings.TrimPrefix(path, folder+string(filepath.Separator))
			own := len(strings.Fields(page)) // like wc -w, with the marks of tables
			if limit.users {
				words += own
			}
			if limit.words > 0 && own > limit.words {
				list = append(list, Finding{name, 1, fmt.Sprintf("%d words, at most %d", own, limit.words)})
			}
			if n := strings.Count(page, "\n"); limit.lines > 0 && n > limit.lines {
				list = append(list, Finding{name, n, fmt.Sprintf("%d lines, at most %d", n, limit.lines)})
			}
			list = append(list, longLines(name, page)...)
			switch limit.pattern {
			case "README.md", "docs/tutorial.md", "docs/howto/*.md":
				list = append(list, longSentences(name, page)...)
			}
		}
	}
	if words > mostWords {
		list = append(list, Finding{"docs", 1, fmt.Sprintf("%d words for users, at most %d", words, mostWords)})
	}
	return list, nil
}

func longLines(name, page string) (list []Finding) {
	n := 0
	for l := range strings.SplitSeq(page, "\n") {
		n++
		if c := len([]rune(l)); c > mostColumns && !strings.HasPrefix(l, "|") {
			list = append(list, Finding{name, n, fmt.Sprintf("%d columns, at most %d", c, mostColumns)})
		}
	}
	return list
}

// sentenceEnd matches the end of a sentence.
var sentenceEnd = regexp.MustCompile(`[.!?][)"]? +`)

func longSentences(name, page string) (list []Finding) {
	for _, p := range paragraphs(page) {
		for _, s := range sentenceEnd.Split(p.text, -1) {
			if n := countWords(s); n > mostSentence {
				list = append(list, Finding{name, p.line, fmt.Sprintf("a sentence of %d words, at most %d: %.60s…", n,
					mostSentence, s)})
			}
		}
	}
	return list
}

// countWords counts the words with a letter or a digit.
func countWords(s string) (n int) {
	for f := range strings.FieldsSeq(s) {
		if strings.ContainsFunc(f, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}
