package detect

import (
	"slices"
	"strings"

	"jtune/internal/lazyregexp"
)

// Counted units.
const (
	Step      = "minibatch"
	Frame     = "frame"
	Inference = "inference"
	Request   = "request"
	Token     = "token"
	Sample    = "sample"
	Epoch     = "epoch"
	Run       = "run"
)

// counters maps words before a counting number to what it counts.
var counters = map[string]string{
	"step": Step, "steps": Step, "iter": Step, "iters": Step, "iteration": Step, "iterations": Step, "it": Step,
	"batch": Step, "batches": Step, "minibatch": Step, "minibatches": Step, "update": Step, "updates": Step,
	"frame": Frame, "frames": Frame, "image": Frame, "images": Frame, "img": Frame, "rendered": Frame,
	"epoch": Epoch, "ep": Epoch, "epochs": Epoch, "round": Epoch, "episode": Epoch, "episodes": Epoch,
	"request": Request, "requests": Request, "query": Request, "prompt": Request, "inference": Inference,
	"inferences": Inference, "sample": Sample, "samples": Sample, "token": Token, "tokens": Token,
}

// countedBy returns what a word before a number counts; derived is true for one that only ends like a step: timesteps.
func countedBy(w string) (unit string, derived bool) {
	if unit = counters[w]; unit != "" {
		return unit, false
	}
	for i := 1; i+4 <= len(w); i++ {
		if counters[w[i:]] == Step {
			return Step, true
		}
	}
	return "", false
}

// numbering are words between the counted thing and its number: batch_idx=3, frames done: 3.
var numbering = strings.Fields("n num number idx index no nr seen done processed completed")

// units maps the words of rates and times per unit.
var units = map[string]string{
	"it": Step, "its": Step, "iter": Step, "iters": Step, "iteration": Step, "iterations": Step, "step": Step,
	"steps": Step, "batch": Step, "batches": Step, "minibatch": Step, "minibatches": Step, "update": Step,
	"updates": Step, "frame": Frame, "frames": Frame, "f": Frame, "fps": Frame, "img": Sample, "imgs": Sample,
	"image": Sample, "images": Sample, "sample": Sample, "samples": Sample, "example": Sample, "examples": Sample,
	"ex": Sample, "seq": Sample, "sequence": Sample, "sequences": Sample, "tok": Token, "toks": Token, "token": Token,
	"tokens": Token, "t": Token, "req": Request, "request": Request, "requests": Request, "query": Request,
	"queries": Request, "infer": Inference, "inference": Inference, "inferences": Inference, "inf": Inference,
}

// Polarity of a name: whether it refers to the job. It decides only between counters of which each could be the job.
const (
	forJob  = 1
	unknown = 0
	against = -1 // validation, warm-up
)

// prefixes are the beginnings of words that refer to the job, or to what runs beside it.
var prefixes = map[int][]string{forJob: {"train", "epoch", "step", "iter"},
	against: {"val", "eval", "test", "infer", "sampling", "warm"}} // the first three: an evaluation

// valueNames match names of validation results in training lines, such as val_loss=2.3; they do not make the line a
// validation line.
var valueNames = lazyregexp.New(`(?i)\b(?:val|valid|validation|test|eval|dev)[_/ ][a-z_@/]+["']?[ =:"']*-?\d`)

// polarity returns the polarity of the text before a count.
func polarity(name string) int {
	p := unknown
	for _, w := range words(valueNames.ReplaceAllString(name, " "), 40) {
		for _, begin := range prefixes[against] {
			if strings.HasPrefix(w, begin) && w != "value" {
				return against
			}
		}
		for _, begin := range prefixes[forJob] {
			if strings.HasPrefix(w, begin) {
				p = forJob
			}
		}
	}
	return p
}

// evaluation reports whether a word of a line speaks of an evaluation.
func evaluation(line string) bool {
	return slices.ContainsFunc(words(line, 40), func(w string) bool {
		return w != "value" && w != "values" && slices.ContainsFunc(prefixes[against][:3], func(begin string) bool {
			return strings.HasPrefix(w, begin)
		})
	})
}

// bars are the forms of progress bars; others are families of lines that trainers and servers print.
var (
	bars   = strings.Fields("tqdm huggingface lightning ultralytics diffusers accelerate yolov5 pytorch-lightning")
	others = strings.Fields("keras tensorflow mxnet paddlepaddle darknet jax timm torchvision detectron2 mmengine " +
		"fairseq nanogpt megatron deepspeed pytorch rich llama-server vllm-server it/s")
)

// Forms returns the names by which a form can be requested.
func Forms() []string { return slices.Concat(bars, others, knownForms()) }
