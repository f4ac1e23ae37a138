package workloads

import (
	"regexp"
	"slices"
	"strings"

	"jtune/internal/usage"
	"jtune/profiles/harness/detect"
	"jtune/profiles/workload"
)

// assignment matches a word before a command that sets an environment variable.
var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// OfLine parses a command line: words, quotes around blanks, and variables in front. No shell is involved: syntax that
// needs one is refused with advice on how to call a shell.
func (t Typed) OfLine(line string) (Typed, error) {
	words, err := wordsOf(line)
	if err != nil {
		return t, err
	}
	env := slices.Clone(t.Env)
	for len(words) > 0 && assignment.MatchString(words[0]) {
		env, words = append(env, words[0]), words[1:]
	}
	if len(words) == 0 || strings.TrimSpace(words[0]) == "" {
		return t, usage.Errorf("no command, such as python3 train.py")
	}
	t.Command, t.Env = words, env
	return t, nil
}

// wordsOf splits a line into words as a POSIX shell without expansions does.
func wordsOf(line string) (words []string, err error) {
	var word strings.Builder
	inside, quote, escaped := false, rune(0), false
	end := func() {
		if inside {
			words = append(words, word.String())
		}
		word.Reset()
		inside = false
	}
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && quote != '\'':
			escaped, inside = true, true
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inside = r, true
		case r == ' ' || r == '\t' || r == '\n':
			end()
		case strings.ContainsRune("|&;<>`$*", r), r == '~' && !inside:
			return nil, usage.Errorf("%q is for a shell: quote it, or write sh -c '…'", string(r))
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if quote != 0 || escaped {
		return nil, usage.Errorf("a quote has no end")
	}
	end()
	return words, nil
}

// plainWord matches a word that needs no quotes.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// LineOf returns the line that OfLine parses to this command.
func LineOf(command []string) string {
	out := make([]string, len(command))
	for i, w := range command {
		if out[i] = w; !plainWord.MatchString(w) || i == 0 && assignment.MatchString(w) {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// Understood adds to a workload how its lines are read, or that each run is one reading. ended: the job ended by
// itself.
func Understood(w workload.Workload, r *detect.Reading, ended bool) workload.Workload {
	if r != nil {
		w = Learned(w, *r)
	}
	if (r == nil || r.Summary) && ended {
		w.Kind, w.Per, w.Batch = workload.Inference, workload.PerRun, 1
	}
	return w
}

// withTyped puts the session's typed jobs before a list, except those that have been saved to it.
func withTyped(typed, list []workload.Workload) []workload.Workload {
	typed = slices.DeleteFunc(typed, func(w workload.Workload) bool {
		_, err := workload.Find(list, w.Name)
		return err == nil
	})
	return append(typed, list...)
}
