package text

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest returns the known word with the fewest edits from word, among equals the one that begins alike; "" if none is
// known, if half of the letters would change, or if only digits do: resnet50 is no misspelt resnet18.
func Nearest(word string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	word = word[:min(len(word), longestQuote)]
	nearest := slices.MinFunc(known, func(a, b string) int {
		return cmp.Or(cmp.Compare(edits(a, word), edits(b, word)), cmp.Compare(shared(b, word), shared(a, word)))
	})
	if 2*edits(nearest, word) >= max(len(nearest), len(word)) || nearest != word && letters(nearest) == letters(word) {
		return ""
	}
	return nearest
}

// Suggest is the end of a message about an unknown word: the nearest known word, or "".
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "; the nearest is " + near
	}
	return ""
}

// SuggestOf is the end of a message about an unknown word: the nearest word of the list, or the whole list.
func SuggestOf(word string, known []string) string {
	if near := Suggest(word, known); near != "" {
		return near
	}
	return "; known: " + strings.Join(known, " ")
}

// letters returns a word without its digits.
func letters(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, word)
}

// shared counts the letters at the beginning of both words.
func shared(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// edits returns the number of letters to insert, remove or replace to turn one word into the other.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := last
			if a[i] != b[j] {
				change++
			}
			last, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
