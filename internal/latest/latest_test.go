package latest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"jtune/internal/latest"
)

func add(n int) func(*int) { return func(sum *int) { *sum += n } }

func TestValueFoldsWhatComesBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	v := latest.New[int]()
	v.Put(add(1))
	if got, ok := v.Next(t.Context(), time.Hour); got != 1 || !ok {
		t.Errorf("got %d, %v: the first one waits for nothing", got, ok)
	}
	const every = 30 * time.Millisecond
	v.Put(add(2))
	v.Take()
	begun := time.Now()
	v.Put(add(3))
	v.Put(add(4))
	if got, ok := v.Next(t.Context(), every); got != 7 || !ok || time.Since(begun) < every {
		t.Errorf("got %d, %v after %v, want 7 not sooner than %v", got, ok, time.Since(begun), every)
	}
}

func TestValueGivesTheLastNewsAtItsEnd(t *testing.T) {
	t.Parallel()
	v := latest.New[int]()
	v.Take()
	v.Put(add(1))
	v.Close()
	v.Close()
	if got, ok := v.Next(t.Context(), time.Hour); got != 1 || !ok {
		t.Errorf("got %d, %v, want the last value at once", got, ok)
	}
	if got, ok := v.Next(t.Context(), time.Hour); ok {
		t.Errorf("got %d after the end", got)
	}
}

func TestValueNextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{false, true} {
		v := latest.New[int]()
		v.Take()
		if fresh {
			v.Put(add(1))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		if got, ok := v.Next(ctx, time.Hour); ok {
			t.Errorf("got %d", got)
		}
		cancel()
	}
}

func ExampleValue() {
	sum := latest.New[int]()
	for n := range 10 {
		sum.Put(func(sum *int) { *sum += n })
	}
	sum.Close()
	fmt.Println(sum.Next(context.Background(), 100*time.Millisecond))
	// Output: 45 true
}
