package main

import (
	"strings"
	"testing"
)

const checkout = "../../.."

func TestPatternsFindTranslatedSentencesAndLeaveOthers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Who" + " gets a bundle opens it with jtune.":            true,
		"What is left unchanged is the fan.":                     true,
		"Of inference it may be one line.":                       true,
		"--tau is of strict turns":                               true,
		"a drift above 3 % is" + " told":                         true,
		"leave --workers" + " away":                              true,
		"It stands apart from the rails":                         true,
		"some ten settings":                                      true,
		"Where no fan is found it does not start.":               true,
		"the board is left as it was found.":                     true,
		"one such table for each":                                true,
		"answers are those of the dialog":                        true,
		"Screens and commands have it from here":                 true,
		"It goes with the first key":                             true,
		"made anew":                                              true,
		"its lines tell steps":                                   true,
		"Of the 246 figures 224 hold.":                           false,
		"What differs on your board helps us.":                   false,
		"It is of no use.":                                       false,
		"jtune warns when the baseline drifts by more than 3 %.": false,
		"where the mode stands against the limit":                false,
		"as soon as it is measured":                              false,
		"The board is restored.":                                 false,
	} {
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
	faults, err := pageFaults(checkout)
	if err != nil {
		t.Fatal(err)
	}
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
	passages, err := passagesOf(checkout)
	if err != nil {
		t.Fatal(err)
	}
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
	if pages < 500 || sources < 5000 {
		t.Errorf("%d paragraphs of pages and %d texts of sources were read, want 500 and 5,000", pages, sources)
	}
}
