package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jtune/internal/must"
)

const checkout = "../../.."

var update = flag.Bool("update", false, "rewrite testdata/messages")

func TestPatternsFindTranslatedSentencesAndLeaveOthers(t *testing.T) {
	t.Parallel()
	sentences := must.Read(t, "testdata/sentences.txt")
	for line := range strings.Lines(string(sentences)) {
		verdict, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, want := strings.TrimSpace(text), verdict == "bad"
		if got := len(findings(Passage{text: text})) > 0; got != want {
			t.Errorf("%q: found %v, want %v", text, got, want)
		}
	}
}

func TestPassagesAreCommentsTextsAndParagraphs(t *testing.T) {
	t.Parallel()
	got, err := sourceTexts("x.go", []byte("package x\n\n// A is one.\n// It has two lines.\n//\n//\tcode here\n"+
		"var A = \"one two \" +\n"+
		"\t\"three four\"\n\ntype b struct {\n\tC int `json:\"a b c d\"`\n}\n"))
	if err != nil || len(got) != 2 || got[0].text != "A is one. It has two lines." || got[0].line != 3 ||
		got[1].text != "one two three four" {
		t.Errorf("got %+v, %v", got, err)
	}
	pages := paragraphs("# Head\n\nOne\ntwo.\n\n```\ncode\n```\n\n- item\n  more\n| a | b |\n\n    indented\n")
	var text []string
	for _, p := range pages {
		text = append(text, p.text)
	}
	if strings.Join(text, "/") != "Head/One two./item more/a | b |" {
		t.Errorf("got %q", text)
	}
}

func TestPagesKeepTheirLimits(t *testing.T) {
	t.Parallel()
	faults := must.Get(pageFaults(checkout))(t)
	for _, f := range faults {
		t.Error(f)
	}
	long := strings.Repeat("word ", mostSentence+1)
	if len(longSentences("x", long+".")) != 1 || len(longSentences("x", "A short one. "+long[:50]+".")) != 0 {
		t.Error("long sentences are not found, or short ones are")
	}
	if len(longLines("x", strings.Repeat("x", 301))) != 1 || len(longLines("x", "| "+strings.Repeat("x", 301))) != 0 {
		t.Error("long lines are not found, or rows of tables are")
	}
}

func TestPagesCommentsAndTextsReadPlainly(t *testing.T) {
	t.Parallel()
	passages := must.Get(passagesOf(checkout))(t)
	pages, sources := 0, 0
	for _, p := range passages {
		if strings.HasSuffix(p.file, ".md") {
			pages++
		} else {
			sources++
		}
		for _, f := range findings(p) {
			t.Error(f)
		}
	}
	if pages < 500 || sources < 15000 {
		t.Errorf("%d paragraphs of pages and %d texts of sources were read, want 500 and 15,000", pages, sources)
	}
}

// lists are the files of testdata/messages: the texts of the packages below a folder, of the first that fits.
var lists = [][2]string{
	{"tui/cli", "commands"},
	{"tui/session", "session"},
	{"tui", "screens"},
	{"profiles", "profiles"},
	{"optimize", "optimize"},
	{"learn", "learn"},
	{"telemetry", "telemetry"},
	{"tegra", "tegra"},
	{"internal", "internal"},
}

// notMessages are texts that are no sentences: expressions, SVG, files of boards, sudo's and the shell's.
var notMessages = regexp.MustCompile(`^[\^<"/.]|^[^a-z]*$|^(trap|chmod|cat|t=)\b`)

// sentence matches two words with a space before one of them.
var sentence = regexp.MustCompile(`[a-z]{2}.* [("]*[A-Za-z]{2}`)

// replaced are the project's own words that no message has: a reader of the screens does not know them.
var replaced = regexp.MustCompile(`(?i)\b(?:knobs?\b(?:[^.]|$)|converged|extrapolated|present, locked)`)

// Every message of three words and more is in testdata/messages once, by package, so that a review reads a changed
// sentence as such: go test ./internal/tools/words -run Messages -update writes them.
func TestMessagesAreListedForReview(t *testing.T) {
	t.Parallel()
	passages := must.Get(passagesOf(checkout))(t)
	texts := map[string]map[string]map[string]bool{}
	for _, p := range passages {
		file := filepath.ToSlash(p.file)
		dir := path.Dir(file)
		at := slices.IndexFunc(lists, func(l [2]string) bool { return strings.HasPrefix(dir+"/", l[0]+"/") })
		if !p.message || at < 0 || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(dir, "test") ||
			strings.HasPrefix(dir, "internal/tools") || notMessages.MatchString(p.text) ||
			!sentence.MatchString(p.text) {
			continue
		}
		if word := replaced.FindString(p.text); word != "" {
			t.Errorf("%s:%d: %q: write clock or cores for knob, done for converged, far from anything measured for "+
				"extrapolated", p.file, p.line, word)
		}
		name := lists[at][1]
		if texts[name] == nil {
			texts[name] = map[string]map[string]bool{}
		}
		if texts[name][dir] == nil {
			texts[name][dir] = map[string]bool{}
		}
		texts[name][dir][p.text] = true
	}
	for _, l := range lists {
		var b strings.Builder
		for _, dir := range slices.Sorted(maps.Keys(texts[l[1]])) {
			fmt.Fprintf(&b, "# %s\n%s\n\n", dir, strings.Join(slices.Sorted(maps.Keys(texts[l[1]][dir])), "\n"))
		}
		file := filepath.Join("testdata", "messages", l[1]+".txt")
		if *update {
			must.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != b.String() {
			t.Errorf("%s differs from the program's messages (%v): renew it with -update, and read the difference",
				file, err)
		}
	}
}
