// Package must ends a test at the first thing that fails.
package must

import (
	"os"
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
