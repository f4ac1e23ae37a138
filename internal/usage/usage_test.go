package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestErrorBeginsWithTheFieldUnlessTheTextMentionsIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{Errorf("no limit: want %s", "30 W"), "no limit: want 30 W"},
		{Rate.Errorf("want above 0"), "“rate”: want above 0"},
		{Batch.Errorf("sizes 8, 16").Advise("choose with %s", Batch.Value()),
			"sizes 8, 16: choose with “batch size” …"},
		{Batch.Errorf("%s %d: a job has one", Batch, 8), "“batch size” 8: a job has one"},
		{&Error{Field: Seed, Why: "want a number", Try: "leave it out"}, "“seed”: want a number: leave it out"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestErrorIsFoundAndKeepsItsCause(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("tune: %w", Config.Errorf("%w", fs.ErrNotExist))
	var e *Error
	if !Is(err) || !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &e) || e.Field != Config {
		t.Errorf("%#v", err)
	}
	if Is(fs.ErrNotExist) || Of(nil) != nil || !Is(Of(fs.ErrNotExist)) || Of(err) != err {
		t.Error("only errors made as usage errors are usage errors")
	}
}

func TestNamedReplacesKnownFieldsAlone(t *testing.T) {
	t.Parallel()
	flags := func(f Field, value bool) string {
		switch {
		case f == Batch && value:
			return "--batch N"
		case f == Batch:
			return "--batch"
		}
		return ""
	}
	text := fmt.Sprintf("“x” by %s: %s 8, or %s…, “batch", Seed, Batch, Batch.Value())
	if got, want := Named(text, flags), "“x” by “seed”: --batch 8, or --batch N…, “batch"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
