package widget

import "strings"

// Entries formats sentences such as "limit: the best mode within it." as a list in w columns. Each sentence that starts
// with a term starts a line; other sentences and wrapped lines are indented.
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

// entriesOf splits a text into sentences; those without a term are appended to the previous one.
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

// longestTerm is the maximum width of a term.
const longestTerm = 32

// cutTerm splits a sentence into its term and the explanation.
func cutTerm(sentence string) (term, rest string, has bool) {
	term, rest, has = strings.Cut(sentence, ": ")
	return term, rest, has && Width(term) <= longestTerm
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}
