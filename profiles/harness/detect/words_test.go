package detect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The numbers of a line, with what makes one part of a name, a version or a date.
func TestNumbersAreReadAsTheyArePrinted(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"step 1,234 of 56,789":       "1234 56789",
		"loss 0.125 acc 12.5":        "0.125~ 12.5~",
		"lr 1e-05 x 2.5E+3":          "1e-05~ 2500~",
		"1e-999 tiny":                "1e-300~", // no endless exponent
		"2.5e+400":                   "2.5e+300~",
		"a 1e-400 b 3":               "1e-300~ 3",
		"v1.2.3":                     "1.2~! 3!",
		"top5 acc_1 2024-04-21":      "5! 1! 2024 4! 21!",
		"[-3] x-1 9-1 a.7":           "3 1! 9 1! 7!",
		"12345,678 1,23 1,2345":      "12345 678 1 23 1 2345",
		"1,234,567 of 1,234,567,890": "1234567 1234567890",
		"1,234,5678 1234,567":        "1234 5678 1234 567",
		"5e 6e- 7ex":                 "5 6 7",
		"z1 Z2 9a1":                  "1! 2! 9 1!",
		"0x10 10%":                   "0 10! 10",
		strings.Repeat("7 ", 50):     strings.TrimSpace(strings.Repeat("7 ", 40)),
		"12.":                        "12",
		".5 0.50.25":                 "5 0.5~ 25!",
		"é5":                         "5",
		"1_000":                      "1 0!",
		"3 (20.01 it/s, 1e+02 s/x)":  "3 20.01~ 100~",
	} {
		var got []string
		for _, n := range numbers(line) {
			text := fmt.Sprintf("%.10g", n.v)
			if !n.whole {
				text += "~"
			}
			if n.glued {
				text += "!"
			}
			got = append(got, text)
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%q (-want +got):\n%s", line, d)
		}
	}
}

// Lines of one kind have one template: numbers, bars and spaces may differ.
func TestTemplateIsOneForLinesOfAKind(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Epoch 3:  12%|███▍      | 3/25 [00:01<00:09, 2.3it/s]": "Epoch #: #% #/# [#:#<#:#, #it/s]",
		"Epoch 4: 100%|██████████| 25/25":                       "Epoch #: #% #/#",
		"loss 1,234.5 a":     "loss # a",
		"a, b":               "a, b",
		"1, 2":               "#, #",
		"⠋ working  on   it": "working on it",
		"x  5 y":             "x # y",
		"Zeta az":            "Zeta az",
	} {
		if got := template(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
	if got := words("the Zebra_batch Az", 2); cmp.Diff([]string{"batch", "az"}, got) != "" {
		t.Errorf("words: got %q", got)
	}
}

func TestBatchInFindsTheBatchSizeThatATextNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"python3 train.py --batch-size=32":        32,
		"batch_size: '128', lr 0.1":               128,
		"Batch Size 7":                            7,
		"run -bs 16":                              16,
		"val_batch_size=100":                      0,
		"val_batch_size=100 --batch-size 8":       8,
		"test batch size 5":                       0,
		"batch_size=1":                            1,
		"batch_size=0":                            0,
		"batch_size=auto":                         0,
		"batch_size=1048576":                      1 << 20,
		"batch_size=1048577":                      0,
		"batch_size=99999999999999999999999":      0,
		"the batch":                               0,
		"validation done, now with batch size 24": 24,
	} {
		if got := BatchIn(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
	d := New(Options{})
	d.Line([]byte("training with batch_size=24"), 0, true)
	d.Line([]byte("batch_size=48"), time.Second, true)
	if d.batch != 24 {
		t.Errorf("two batch sizes: got %d, want the first", d.batch)
	}
}

// The words around a number say what a rate or time is of.
func TestTimesSayWhatANumberIsOf(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"20.0 it/s":                           "minibatch 50",
		"19.9 images/sec":                     "sample 50.3",
		"50 ms/step":                          "minibatch 50",
		"0.05 s per iteration":                "minibatch 50",
		"0.5 sec / batch":                     "minibatch 500",
		"83.3 tokens_per_second":              "token 12",
		"12.5 ms per token":                   "token 12.5",
		"fps: 25":                             "frame 40",
		"25 fps":                              "frame 40",
		"40 qps":                              "inference 25",
		"steps_per_second=20":                 "minibatch 50",
		"tokens/s: 100":                       "token 10",
		"ms/step: 50":                         "minibatch 50",
		"at s/it 0.05":                        "minibatch 50",
		"ms per step = 50":                    "minibatch 50",
		"rate: tokens per second 100":         "token 10",
		"seconds per batch: 0.05":             "minibatch 50",
		"time per iteration (ms): 50":         "minibatch 50",
		"time/step: 0.05s":                    "minibatch 50",
		"time per step 0.05 s":                "minibatch 50",
		"per step time 0.05 s":                "minibatch 50",
		"per token cost: 12 ms":               "token 12",
		"step time: 50 ms":                    "minibatch 50",
		"step cost 50 ms":                     "minibatch 50",
		"batch duration 50 ms":                "minibatch 50",
		"token time: 50 ms":                   "plain 50",
		"took 50 ms":                          "plain 50",
		"x50 ms":                              "",
		"fps 20 ms":                           "plain 20",
		"50 ms next=3":                        "plain 50",
		"50 ms: 3":                            "",
		"5 s = 3 it/s":                        "minibatch 333",
		"(100 tokens/s":                       "token 10",
		"loss 2.3":                            "",
		"[00:02<00:04, 19.9it/s]":             "", // the clock tells it better
		"300 us/frame":                        "frame 0.3",
		"50   ms/step":                        "", // too far from its number
		"2 steps/ms":                          "",
		"gap (s) 5":                           "",
		"second 5":                            "",
		"0 it/s":                              "",
		"rate it/s 20, 30":                    "minibatch 50",
		"10 it/s (100 ms)":                    "minibatch 100, plain 100",
		"train: 5 it/s | val: 8 it/s":         "minibatch 200, minibatch 125",
		"Inference 3: latency (ms) 5":         "",
		"inference latency 12.0 milliseconds": "plain 12",
	} {
		nums := numbers(line)
		var got []string
		for _, s := range times(line, nums, make([]bool, len(nums))) {
			unit := s.unit.unit
			if s.plain {
				unit = "plain"
			}
			got = append(got, fmt.Sprintf("%s %.3g", unit, s.unit.ms(nums[s.at].v)))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%q: got %q, want %q", line, text, want)
		}
	}
}
