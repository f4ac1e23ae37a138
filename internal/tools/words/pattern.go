package main

import (
	"fmt"
	"regexp"
)

// Pattern is a habit from another language, and what to write.
type Pattern struct {
	find  *regexp.Regexp
	but   *regexp.Regexp // uses that are good English; nil: none
	write string
}

// start matches the start of a sentence.
const start = `(?:^|[.!?:;] )`

// patterns lists the habits in order.
var patterns = []Pattern{
	{find: regexp.MustCompile(start + `(?:Who [a-z]+s\b|Whoever\b|[Ww]hoever\b)`),
		write: "name the person, or write an instruction"},
	{find: regexp.MustCompile(start + `What [^.?!:]*\b(?:is|are|was|were|has|have)\b[^.?!:]*\.`),
		but:   regexp.MustCompile(`\b(?:differs|matters|happens)\b`),
		write: "name the subject in place of a clause with What"},
	{find: regexp.MustCompile(start + `Of [a-z]`), // not the comment of a function with that name
		but:   regexp.MustCompile(`Of (?:the \d|all \d|course|is |makes|enter|retur|repor|print|lists)`),
		write: "For X, or X has"},
	{find: regexp.MustCompile(`\b(?:is|are|was|were) of [a-z%]+`),
		but:   regexp.MustCompile(`of (?:no|the same|interest|use|another|any|different|one|little|type|kind)$`),
		write: "belongs to, applies to, describes, has"},
	{find: regexp.MustCompile(`\b(?:is|are|was|were|been) (?:told|said|asked)\b`),
		write: "say who tells or asks what: jtune warns, prints, asks"},
	{find: regexp.MustCompile(`\b(?:leav\w+ (?:\S+ ){0,3}away|left away)\b`), write: "remove, omit"},
	{find: regexp.MustCompile(`\b(?:stands?|stood) (?:in|at|on|beside|below|above|apart|before|behind|alone|there|` +
		`here|next|by|between|first|last)\b`), write: "is, appears, is listed, is reported separately"},
	{find: regexp.MustCompile(`\b(?:so many|some (?:two|three|four|five|six|ten|twenty|hundred|\d+))\b`),
		but: regexp.MustCompile(`some \d+(?:\.|:|/)`), write: "about ten, that many"},
	{find: regexp.MustCompile(start + `Where (?:no|none|nothing|there is no|it is not|that is not)\b`), write: "If no …"},
	{find: regexp.MustCompile(`\bas (?:it|they) (?:is|are|was|were)(?: found)?(?:[.,;:)]|$| and\b)`),
		write: "unchanged, restored"},
	{find: regexp.MustCompile(`\b(?:one such|[Ss]uch (?:are|is)|(?:of|by|with) such)\b`),
		but: regexp.MustCompile(`such a\b`), write: "this, these, one table for each"},
	{find: regexp.MustCompile(`\b(?:is|are) (?:those|that) (?:of|which|in|at)\b`),
		write: "say what the thing is: returns, holds, comes from"},
	{find: regexp.MustCompile(`\b(?:has|have) (?:it|them|this) from\b`), write: "call, take from"},
	{find: regexp.MustCompile(`\b(?:goes (?:with|away|by)|go by)\b`), write: "uses, depends on, disappears"},
	{find: regexp.MustCompile(`(?i)\b(?:mende[d]|ane[w]|meanwhile|whereby|borne out|at hand|therein|put right|naughty|` +
		`leant)\b`), write: "fixed, again, at the same time, here"},
	{find: regexp.MustCompile(`\btells? (?:of|nothing|no|its|their|steps|minibatches)\b`),
		write: "shows, prints, counts"},
}

// Passage is some text with its place.
type Passage struct {
	file    string
	line    int
	text    string
	message bool // a text of the program
}

// Finding is a habit found in a passage.
type Finding struct {
	file string
	line int
	why  string
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.why) }

// around is how many characters of a passage a finding shows on each side.
const around = 40

// findings returns the habits in a passage.
func findings(p Passage) (list []Finding) {
	for _, habit := range patterns {
		for _, at := range habit.find.FindAllStringIndex(p.text, -1) {
			end := min(at[1]+10, len(p.text))
			if but := habit.but; but != nil && (but.MatchString(p.text[at[0]:at[1]]) ||
				but.MatchString(p.text[at[0]:end])) {
				continue
			}
			text := p.text[max(0, at[0]-around):min(len(p.text), at[1]+around)]
			list = append(list, Finding{p.file, p.line, fmt.Sprintf("%q: write %s", text, habit.write)})
		}
	}
	return list
}
