package detect

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// truths are the median time of a unit of the formats that the shared tool replays, which says them by "truth".
var truths = map[string]struct {
	unit string
	ms   float64 // 0: any
}{
	"hf": {Step, 50}, "tqdm_epoch": {Step, 50}, "tqdm_samelen": {Step, 50}, "tqdm_sanity": {Step, 50},
	"pl2": {Step, 50}, "yolo8": {Step, 50}, "keras2": {Step, 50}, "timm": {Step, 50}, "torchvision": {Step, 50},
	"mmengine": {Step, 50}, "nanogpt": {Step, 50}, "imagenet_ex": {Step, 50}, "mnist_ex": {Step, 50},
	"perepoch": {Epoch, 1000}, "yolopredict": {Frame, 50}, "llamabench": {Token, 6.25}, "llamaserver": {Token, 12},
	"vllmlog": {Token, 24}, "deepstream": {Frame, 50}, "deepstream4": {Frame, 12.5}, "jetinf": {Frame, 50},
	"whisper": {Run, 3000}, "mlperf": {Inference, 50}, "fpsapp": {Frame, 50},
}

func TestReadTheSharedFormats(t *testing.T) {
	recorded := record(t, slices.Collect(maps.Keys(truths)))
	for format, want := range truths {
		t.Run(format, func(t *testing.T) {
			d := New(Options{Batch: 16})
			play(d, recorded[format])
			got, err := d.Read()
			if err != nil {
				t.Fatalf("%v; %+v", err, err.(*Undecided).Candidates)
			}
			t.Logf("%s %q %d %s: %.4g ms, mean %.4g, left out %v, of %+v", got.Form, got.What, got.Steps, got.Unit,
				got.TimeMS, got.MedianMS, got.LeftOut, got.Candidates)
			if got.Unit != want.unit || math.Abs(got.TimeMS/want.ms-1) > 0.03 {
				t.Errorf("%.4g ms, mean %.4g, a %s, want %g a %s", got.TimeMS, got.MedianMS, got.Unit, want.ms,
					want.unit)
			}
		})
	}
}
