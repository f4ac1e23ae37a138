package widget

import "strings"

// Entries lays out sentences such as "limit: the best mode within it." as a list: each that begins with what it
// explains begins a line, in w columns, its own further lines and sentences set in.
func Entries(text string, w int) (lines []string) {
	const in = "  "
	for _, entry := range entriesOf(text) {
		term, rest, has := cutTerm(entry)
		for i, line := range strings.Split(Wrap(entry, max(1, w-len(in))), "\n") {
			switch {
			case i == 0 && has && strings.HasPrefix(line, term+": "+firstWord(rest)):
				line = StyleKey.Render(term+":") + strings.TrimPrefix(line, term+":")
			case i > 0:
				line = in + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// entriesOf are the sentences of a text, those that explain no term of their own behind the one before.
func entriesOf(text string) (out []string) {
	for i, sentence := range strings.Split(text, ". ") {
		if _, _, has := cutTerm(sentence); i > 0 && !has {
			out[len(out)-1] += ". " + sentence
			continue
		} else if i > 0 {
			out[len(out)-1] += "."
		}
		out = append(out, sentence)
	}
	return out
}

// longestTerm is how many columns what an entry explains may take.
const longestTerm = 32

// cutTerm parts a sentence into what it explains and how.
func cutTerm(sentence string) (term, rest string, has bool) {
	term, rest, has = strings.Cut(sentence, ": ")
	return term, rest, has && Width(term) <= longestTerm
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
