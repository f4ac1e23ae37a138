// Package must ends a test at the first thing that fails; of texts and values it tells all that fails.
package must

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// NoError ends the test on an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get ends the test on an error, else it returns the value: must.Get(os.Open(name))(t).
func Get[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return value
	}
}

// Read returns the content of a file.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	return Get(os.ReadFile(name))(t)
}

// Contain fails the test for each of the words that is not in a text; the test goes on.
func Contain(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("it lacks %q:\n%s", word, text)
		}
	}
}

// Lack fails the test for each of the words that is in a text; the test goes on.
func Lack(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if strings.Contains(text, word) {
			t.Errorf("it has %q:\n%s", word, text)
		}
	}
}

// Equal fails the test unless two values are deeply equal, or the same pointer; the test goes on. The message begins
// with the values of about.
func Equal[T any](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if v := reflect.ValueOf(got); v.Kind() == reflect.Pointer && any(got) == any(want) ||
		v.Kind() != reflect.Pointer && reflect.DeepEqual(got, want) {
		return
	}
	said := ""
	if len(about) > 0 {
		said = fmt.Sprintln(about...)
	}
	switch text, is := any(got).(string); {
	case strings.Contains(text, "\n"):
		t.Errorf("%sgot\n%s\nwant\n%s", said, text, any(want))
	case is:
		t.Errorf("%sgot %q, want %q", said, text, any(want))
	default:
		t.Errorf("%sgot %+v, want %+v", said, got, want)
	}
}

// Fail fails the test unless an error says each of the words; the test goes on.
func Fail(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one that says %q", words)
		return
	}
	Contain(t, err.Error(), words...)
}

// Err returns the error of a call that returns a value too: must.Fail(t, must.Err(os.Open(name)), "no such file").
func Err[T any](_ T, err error) error { return err }

// Patience is how long Until waits: what takes longer hangs, and is not merely slow.
const Patience = 3 * time.Minute

// Until waits for an effect of another process or goroutine. It looks less and less often, and ends the test after
// Patience.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(Patience); !is(); time.Sleep(pause) {
		pause = min(2*pause, 200*time.Millisecond)
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// Exist waits until there is a file.
func Exist(t testing.TB, name string) {
	t.Helper()
	Until(t, name+" exists", func() bool { _, err := os.Stat(name); return err == nil })
}

// Number reads the number in a file.
func Number(t testing.TB, name string) int {
	t.Helper()
	return Get(strconv.Atoi(strings.TrimSpace(string(Read(t, name)))))(t)
}
