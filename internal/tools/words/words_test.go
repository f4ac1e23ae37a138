package main

import (
	"os"
	"strings"
	"testing"
)

const checkout = "../../.."

func TestPatternsFindTranslatedSentencesAndLeaveOthers(t *testing.T) {
	t.Parallel()
	sentences, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		t.Fatal(err)
	}
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
	if pages < 500 || sources < 15000 {
		t.Errorf("%d paragraphs of pages and %d texts of sources were read, want 500 and 15,000", pages, sources)
	}
}
