package workload

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
)

// AsMeasured is the model of a workload of a replayed file whose model is unknown: only its name says more.
const AsMeasured = "as measured"

// Fingerprint identifies what runs, whatever its name: training or inference, model, data, loader settings, command,
// and the versions of the framework. It leaves out the batch size, which is part of each setting.
func (w *Workload) Fingerprint(versions string) string {
	sum := sha256.New()
	add := func(key string, value any) { // unset values do not count: later versions may have more
		if text := fmt.Sprint(value); text != "" && text != "false" && text != "0" && text != "[]" {
			fmt.Fprintf(sum, "%s=%q\n", key, text)
		}
	}
	model := cmp.Or(w.Model, w.Torch.Net)
	if model == "" && len(w.Command) == 0 || model == AsMeasured {
		add("name", w.Name)
	}
	add("model", model)
	add("data", cmp.Or(w.Dataset, w.Torch.Set))
	add("workers", w.Workers)
	add("prefetch", w.Prefetch)
	add("command", fmt.Sprintf("%q", w.Command))
	add("dir", w.Dir)
	add("counts", w.Counts)
	for _, k := range slices.Sorted(maps.Keys(w.Env)) {
		add("env "+k, w.Env[k])
	}
	add("image", w.Container.Image)
	add("net", w.Torch.Net)
	add("set", w.Torch.Set)
	add("folder", w.Torch.Data)
	add("cache", w.Torch.Cache)
	add("inference", w.Torch.Infer)
	if w.Kind == Inference {
		add("kind", w.Kind)
	}
	if w.Serves() {
		add("server", w.Server.identity())
	}
	if w.Serves() && w.Load != (Demand{}) {
		add("load", fmt.Sprintf("%g/s %s", w.Load.Rate, w.Load.Arrivals))
	}
	add("half", w.Torch.Half)
	add("no gc", w.Torch.NoGC)
	add("beside", w.Torch.Beside)
	add("attached", w.Attached && len(w.Command) == 0) // its job need not be the built-in one
	add("versions", versions)
	return hex.EncodeToString(sum.Sum(nil)[:6])
}
