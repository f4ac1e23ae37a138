package page

import (
	"testing"

	"jtune/internal/must"
	"jtune/internal/usage"
)

func TestWordsNameFieldsAsTheScreensDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		usage.Rate.Errorf("want above 0").Error():                 "rate: want above 0",
		"choose one with " + usage.Batch.Value():                  "choose one with “batch”",
		"remove " + usage.Rate.String():                           "remove “rate”",
		usage.Batch.String() + " 8,16: a job has one batch size":  "“batch” 8,16: a job has one batch size",
		"tune: " + usage.Load.String() + ": want above 0":         "tune: “load”: want above 0",
		"give " + usage.Seed.String() + ": its seed is another's": "give “seed”: its seed is another's",
	} {
		must.Equal(t, Words(text), want)
	}
}
