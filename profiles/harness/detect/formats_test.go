package detect

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// job prints as a program would, on a clock of its own: a step takes 50 ms ± 8 %, the first ten times as long,
// validation 15 times 20 ms, a checkpoint 0.8 s.
type job struct {
	now time.Duration
	out []piece
	i   int
}

const (
	perEpoch   = 60
	epochs     = 6
	checkpoint = 800 * time.Millisecond
)

func (j *job) wait(d time.Duration) { j.now += d }

func (j *job) print(format string, args ...any) {
	j.out = append(j.out, piece{at: j.now, from: 1, text: fmt.Sprintf(format, args...)})
}

func (j *job) step() float64 {
	d := time.Duration(50e6 * (1 + 0.08*float64(j.i%5-2)/2))
	if j.i == 0 {
		d *= 10
	}
	j.i++
	j.wait(d)
	return d.Seconds()
}

// train runs epochs; each is called after every step, valid after each of validation, ended at the end of an epoch.
func (j *job) train(each func(epoch, i, all int, s float64), valid func(n int), ended func(epoch int)) {
	all := 0
	for e := range epochs {
		for i := range perEpoch {
			s := j.step()
			all++
			if each != nil {
				each(e, i+1, all, s)
			}
		}
		for n := range 15 {
			j.wait(20 * time.Millisecond)
			if valid != nil {
				valid(n + 1)
			}
		}
		if ended != nil {
			ended(e)
		}
		j.wait(checkpoint)
	}
}

func drawn(desc string, n, of int, s float64) string {
	return fmt.Sprintf("\r%s%3d%%|%s| %d/%d [00:%02d<00:10, %5.2fit/s]", desc, 100*n/of, strings.Repeat("█", 10*n/of),
		n, of, int(s), float64(n)/max(s, 0.01))
}

// lines trains and prints a line every k steps, and another at the end of an epoch. In them {epoch} counts from 0 and
// {Epoch} from 1, {i} the steps of the epoch and {n} all, {n0} from 0; {seen} and {samples} are their samples, and
// {pct} is the part of the epoch that is done. {n:8} is eight wide.
func lines(k int, line string, end ...string) func(j *job) {
	return func(j *job) {
		told := map[string]int{}
		j.train(func(e, i, all int, _ float64) {
			told = map[string]int{"epoch": e, "Epoch": e + 1, "i": i, "n": all, "n0": all - 1, "seen": 16 * i,
				"samples": 16 * all, "pct": 100 * i / perEpoch}
			if all%k == 0 {
				j.print("%s", filled(line, told))
			}
		}, nil, func(int) {
			for _, line := range end {
				j.print("%s", filled(line, told))
			}
		})
	}
}

var field = regexp.MustCompile(`{(\w+):?(\d*)}`)

func filled(line string, told map[string]int) string {
	return field.ReplaceAllStringFunc(line, func(text string) string {
		part := field.FindStringSubmatch(text)
		return fmt.Sprintf("%"+part[2]+"d", told[part[1]])
	})
}

// steps takes n steps and prints a line every k of them; {n} counts them.
func steps(n, k int, line string) func(j *job) {
	return func(j *job) {
		for i := range n {
			if j.step(); i%k == k-1 {
				j.print("%s", filled(line, map[string]int{"n": i + 1}))
			}
		}
	}
}

// after prints the same text n times, each time later by a duration.
func after(n int, d time.Duration, text string) func(j *job) {
	return func(j *job) {
		for range n {
			j.wait(d)
			j.print("%s", text)
		}
	}
}

// every calls f each k steps.
func every(k int, f func(e, i, all int, s float64)) func(e, i, all int, s float64) {
	return func(e, i, all int, s float64) {
		if all%k == 0 {
			f(e, i, all, s)
		}
	}
}

// A format, and what is to be read of it. Those with ms 0 are to be refused.
type format struct {
	name, unit string
	ms         float64
	run        func(j *job)
}

var formats = []format{
	{"Trainer without a bar", "", 0, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print("{'loss': 2.%04d, 'grad_norm': 1.23, 'learning_rate': 4.8e-05, 'epoch': %.2f}\n", all,
				float64(all)/60)
		}), nil, func(e int) {
			j.print("{'eval_loss': 1.9, 'eval_runtime': 0.3, 'eval_samples_per_second': 400.0, "+
				"'eval_steps_per_second': 50.0, 'epoch': %d.0}\n", e+1)
		})
		j.print("{'train_runtime': 25.0, 'train_samples_per_second': 230.4, 'train_steps_per_second': 14.4}\n")
	}},
	{"diffusers", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) { j.print("%s", drawn("Steps: ", all, 360, float64(all)*0.05)) }, nil,
			nil)
	}},
	{"outer bar of epochs", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("%s\x1b[A", "\n"+drawn("", i, 60, float64(i)*0.05))
		}, nil, func(e int) { j.print("%s", drawn("Epochs: ", e+1, epochs, float64(e)*4)) })
	}},
	{"bars without names, of one length", "", 0, func(j *job) {
		for range epochs {
			for i := range perEpoch {
				j.step()
				j.print("%s", drawn("", i+1, 60, float64(i)*0.05))
			}
			j.print("\n")
			for i := range perEpoch {
				j.wait(20 * time.Millisecond)
				j.print("%s", drawn("", i+1, 60, float64(i)*0.02))
			}
			j.print("\n")
		}
	}},
	{"bars without names, of two lengths", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) { j.print("%s", drawn("", i, 60, float64(i)*0.05)) },
			func(n int) { j.print("%s", drawn("", n, 15, float64(n)*0.02)) }, func(int) { j.print("\n") })
	}},
	{"tqdm of samples", Step, 50, lines(2, "\r{pct:3}%|██| {seen}/960 [00:01<00:02, 320.0img/s]", "\n")},
	{"Lightning 1, whose bar counts validation too", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\rEpoch %d: %3d%%|██| %d/75 [00:01<00:02, 19.8it/s, loss=2.3, v_num=0]", e, i, i)
		}, func(n int) {
			j.print("\n\rValidating: %3d%%|██| %d/15 [00:00<00:00, 50.0it/s]\x1b[A", n*6, n)
			j.print("\rEpoch 0: 90%%|██| %d/75 [00:01<00:02, 19.8it/s, loss=2.3, v_num=0]", 60+n)
		}, func(int) { j.print("\n") })
	}},
	{"Lightning with Rich", Step, 50, lines(1, "\r\x1b[2K\x1b[37mEpoch {epoch}/5\x1b[0m \x1b[35m━━━━━\x1b[0m"+
		"\x1b[90m╺━━━\x1b[0m {i}/60 0:00:01 • 0:00:02 19.87it/s v_num: 0.000 train_loss: 1.234", "\n")},
	{"YOLO11", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\r\x1b[K%11s%11s%11.4g%11.4g: %d%% ━━━━╸─── %d/60 19.9it/s 3.0s<4.1s", fmt.Sprintf("%d/6", e+1),
				"4.28G", 1.2, 2.3, i*100/60, i)
		}, func(n int) {
			j.print("\r\x1b[K                 Class     Images  Instances      Box(P: %d%% ━━━━ %d/15 50.1it/s 0.3s",
				n*6, n)
		}, func(int) { j.print("\n                   all        722       1444      0.989\n") })
	}},
	{"Keras 3", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			if i == 1 {
				j.print("Epoch %d/6\n", e+1)
			}
			j.print("\r\x1b[1m%d/60\x1b[0m \x1b[32m━━━━\x1b[0m\x1b[37m━━━━\x1b[0m \x1b[1m2s\x1b[0m 50ms/step - "+
				"accuracy: 0.55 - loss: 1.2345", i)
		}, nil, func(int) {
			j.print("\r\x1b[1m60/60\x1b[0m \x1b[32m━━━━\x1b[0m \x1b[1m4s\x1b[0m 50ms/step - accuracy: 0.6 - " +
				"val_loss: 1.2\n")
		})
	}},
	{"detectron2", Step, 50, lines(20, "[11/23 10:11:12 d2.utils.events]:  eta: 0:00:12  iter: {n0}  total_loss: 2.3  "+
		"loss_cls: 1.2  time: 0.0500  last_time: 0.0520  data_time: 0.0020  lr: 0.001  max_mem: 6836M\n")},
	{"mmdetection 2", Step, 50, lines(10, "2024-04-21 21:03:53,123 - mmdet - INFO - Epoch [{Epoch}][{i}/60]\t"+
		"lr: 1.000e-02, eta: 0:00:25, time: 0.050, data_time: 0.002, memory: 6836, loss: 2.3\n")},
	{"Megatron", Step, 50, lines(10, " iteration {n:8}/     360 | consumed samples: {samples} | elapsed time per "+
		"iteration (ms): 50.0 | learning rate: 1.0E-04 | global batch size:    16 | lm loss: 2.3E+00 |\n",
		" validation loss at iteration {n} | lm loss value: 2.1E+00 | lm loss PPL: 8.1E+00 |\n")},
	{"fairseq", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print("2024-04-21 21:03:53 | INFO | train_inner | epoch %03d: %6d / 60 loss=2.3, ppl=4.9, wps=5120, "+
				"ups=20, wpb=256, bsz=16, num_updates=%d, lr=1e-05, gnorm=1.2, train_wall=0, wall=%d\n", e+1, i, all,
				all/20)
		}), nil, nil)
	}},
	{"fairseq as JSON", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print(`{"epoch": %d, "update": %.3f, "loss": "2.3", "ups": "20", "num_updates": "%d", `+
				`"lr": "1e-05"}`+"\n", e+1, float64(all)/60, all)
		}), nil, nil)
	}},
	{"DeepSpeed", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print("[2024-04-21 21:03:53,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d, skipped=0, "+
				"lr=[1e-05], mom=[(0.9, 0.999)]\n", all)
			j.print("[2024-04-21 21:03:53,124] [INFO] [timer.py:199:stop] epoch=0/micro_step=%d/global_step=%d, "+
				"RunningAvgSamplesPerSec=320.1, CurrSamplesPerSec=321.2, MemAllocated=1.0GB\n", all, all)
		}), nil, nil)
	}},
	{"MXNet", Step, 50, lines(10, "INFO:root:Epoch[{epoch}] Batch [{i}]\tSpeed: 320.00 samples/sec\taccuracy=0.5\n",
		"INFO:root:Epoch[{epoch}] Validation-accuracy=0.5\n")},
	{"PaddlePaddle", Step, 50, lines(10, "[2024/04/21 21:03:53] ppcls INFO: [Train][Epoch {Epoch}/6][Iter: {i}/60]"+
		"lr: 0.1, CELoss: 2.3, batch_cost: 0.05000s, reader_cost: 0.002, ips: 320.0 images/s, eta: 0:00:12\n")},
	{"TensorFlow estimator", Step, 50, func(j *job) {
		j.train(every(20, func(e, i, all int, s float64) {
			j.print("INFO:tensorflow:global_step/sec: 20.01\n")
			j.print("INFO:tensorflow:loss = 2.3, step = %d (1.000 sec)\n", all)
		}), nil, nil)
	}},
	{"TensorFlow object detection", Step, 50, lines(20, "INFO:tensorflow:Step {n} per-step time 0.050s loss=2.3\n"+
		"I0421 21:03:53.123456 140 model_lib_v2.py:698] Step {n} per-step time 0.050s loss=2.3\n")},
	{"Darknet", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print(" %d: 2.345678, 2.123456 avg loss, 0.001000 rate, %.6f seconds, %d images, 1.2 hours left\n", all,
				s, all*64)
		}, nil, nil)
	}},
	{"CatBoost", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("%d:\tlearn: 0.5432\ttotal: %dms\tremaining: 3.2s\n", all-1, all*50)
		}, nil, nil)
	}},
	{"XGBoost", Step, 50, lines(1, "[{n0}]\ttrain-rmse:0.54321\teval-rmse:0.6\n")},
	{"fastai", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\rEpoch %d/6 : |%s%s| %.2f%% [%d/60 00:01<00:02 2.3456]", e+1, strings.Repeat("█", i/6),
				strings.Repeat("-", 10-i/6), float64(i)/0.6, i)
		}, nil, nil)
	}},
	{"ignite", Step, 50, lines(1, "\rEpoch [{Epoch}/6]: [{i}/60] {i:3}%|██▍       , loss=2.3 [00:01<00:02]")},
	{"JSON lines", Step, 50, lines(1,
		`{"ts": 1713733433.12, "epoch": {epoch}, "step": {n}, "loss": 2.345, "lr": 0.001}`+"\n")},
	{"key=value", Step, 50, lines(1, "level=info msg=train epoch={epoch} iter={i} loss=2.3\n")},
	{"step and loss, every 20, with a silent validation", Step, 50, lines(20, "step {n} loss 2.3\n")},
	{"MaxText", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("completed step: %d, seconds: %.3f, TFLOP/s/device: 12.3, Tokens/s/device: 1000.1, loss: 2.3\n",
				all, s)
		}, nil, nil)
	}},
	{"steps with thousands", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			n := all + 900
			text := fmt.Sprint(n)
			if n >= 1000 {
				text = fmt.Sprintf("%d,%03d", n/1000, n%1000)
			}
			j.print("Step %s | loss 2.3\n", text)
		}), nil, nil)
	}},
	{"epochs and steps in one line", Step, 50, lines(10, "Epoch [{Epoch}/6], Step [{i}/60], Loss: 2.3\n")},
	{"a rate alone", Step, 50, lines(10, "loss 2.3, 20.01 it/s\n")},
	{"the time of the network alone", "", 0, func(j *job) {
		for range 200 {
			s := j.step()
			j.print("Inference time: %.1f ms\n", 700*s)
		}
	}},
	{"an ffmpeg line", Frame, 50, steps(200, 10, "frame={n:5} fps= 20 q=28.0 size=     256kB time=00:00:05.00 "+
		"bitrate= 419.4kbits/s speed=1.0x    \r")},
	{"DeepStream with a line for each source", Frame, 25, after(8, 5*time.Second, "Active sources : 2\n"+
		"19.90 (20.00)\tsource_id : 0 stream_name gate\n20.10 (20.00)\tsource_id : 1 stream_name yard\n")},
	{"GStreamer", Frame, 50, steps(200, 10, "/GstPipeline:pipeline0/GstFPSDisplaySink:sink: last-message = rendered: "+
		"{n}, dropped: 0, current: 20.01, average: 20.00\n")},
	{"ollama", Token, 12, after(6, 484*time.Millisecond, "total duration:       484ms\nload duration:        1ms\n"+
		"prompt eval count:    51 token(s)\nprompt eval duration: 100ms\nprompt eval rate:     510.00 tokens/s\n"+
		"eval count:           32 token(s)\neval duration:        384ms\neval rate:            83.33 tokens/s\n")},
	{"SGLang", Token, 24, func(j *job) {
		for i := range 12 {
			j.wait(time.Second)
			j.print("[2024-04-21 21:03:53] Decode batch. #running-req: 1, #token: %d, token usage: 0.01, "+
				"gen throughput (token/s): 41.67, #queue-req: 0\n", 100+40*i)
		}
	}},
	{"text-generation-webui", Token, 100, after(6, 3200*time.Millisecond, "Output generated in 3.20 seconds "+
		"(10.00 tokens/s, 32 tokens, context 51, seed 1234)\n")},
	{"stable-diffusion.cpp", Step, 50, func(j *job) {
		for range 6 {
			for i := range 20 {
				j.step()
				j.print("\r  |%s| %d/20 - %.2fit/s", strings.Repeat("=", i)+">", i+1, 20.0)
			}
			j.print("\n")
			j.wait(checkpoint)
		}
	}},
	{"images of diffusers", Step, 50, func(j *job) {
		for range 6 {
			for i := range 20 {
				j.step()
				j.print("%s", drawn("", i+1, 20, float64(i)*0.05))
			}
			j.print("\n")
			j.wait(checkpoint)
		}
	}},
	{"onnxruntime_perf_test", Inference, 50, after(1, 3*time.Second, "Session creation time cost: 0.5 s\n"+
		"First inference time cost: 200 ms\nTotal inference time cost: 3.0 s\nTotal inference requests: 60\n"+
		"Average inference time cost: 50.0 ms\nTotal inference run time: 3.01 s\n"+
		"Number of inferences per second: 19.93 \n")},
	{"trtexec 7", Inference, 50, after(1, 3*time.Second, "[10/03/2024-10:47:59] [I] Host Latency\n"+
		"[10/03/2024-10:47:59] [I] min: 49.00 ms (end to end 49.90 ms)\n"+
		"[10/03/2024-10:47:59] [I] mean: 50.00 ms (end to end 50.10 ms)\n"+
		"[10/03/2024-10:47:59] [I] median: 50.00 ms (end to end 50.1 ms)\n"+
		"[10/03/2024-10:47:59] [I] throughput: 0 qps\n")},
	{"genai-perf", Token, 12, after(1, 3*time.Second, "│ Request latency (ms)     │ 484.00 │ 480.00 │ 490.00 │\n"+
		"│ Inter token latency (ms) │  12.00 │  11.90 │\n│ Output token throughput (per sec) │ 66.12 │ N/A │\n")},
	{"trtllm-bench", Token, 12, after(1, 3*time.Second, "Request Throughput (req/sec):                     2.0661\n"+
		"Total Output Throughput (tokens/sec):             66.1157\n"+
		"Average time-per-output-token [TPOT] (ms):        12.0000\n")},
	{"TensorFlow Lite", Inference, 50, after(1, 3*time.Second, "Inference timings in us: Init: 1234, First inference: "+
		"60000, Warmup (avg): 51000, Inference (avg): 50000\n"+
		"count=60 first=50123 curr=50001 min=49000 max=52000 avg=50000 std=400\n")},
	{"images per second, alone", Sample, 20, after(10, time.Second, "throughput 50.0 img/s\n")},
	{"a download, then nothing", "", 0, func(j *job) {
		for i := range 100 {
			j.wait(50 * time.Millisecond)
			j.print("%s", drawn("Downloading shards: ", i+1, 100, float64(i)*0.05))
		}
		j.wait(10 * time.Second)
		j.print("done\n")
	}},
	{"a download before the work", Step, 50, func(j *job) {
		for i := range 400 {
			j.wait(100 * time.Millisecond)
			j.print("%s", drawn("Downloading: ", i+1, 400, float64(i)*0.1))
		}
		j.train(func(e, i, all int, s float64) { j.print("%s", drawn("", i, 60, float64(i)*0.05)) }, nil, nil)
	}},
	{"evaluation alone", Step, 50, func(j *job) {
		for i := range 200 {
			j.step()
			j.print("%s", drawn("Evaluating: ", i+1, 200, float64(i)*0.05))
		}
	}},
	{"two loops of one rank", "", 0, func(j *job) {
		for range 5 {
			for i := range 40 {
				j.step()
				j.print("%s", drawn("generator: ", i+1, 40, float64(i)*0.05))
			}
			for i := range 30 {
				j.wait(80 * time.Millisecond)
				j.print("%s", drawn("critic: ", i+1, 30, float64(i)*0.08))
			}
		}
	}},
	{"text without numbers", "", 0, after(60, time.Second, "still working\n")},
	{"a validation after every second logged line", Step, 50, checked(40, "Running validation...\n",
		"validation loss 2.3, accuracy 0.5\n", "step %d loss 2.3\n")},
	{"a validation after every fourth logged line", Step, 50, checked(80, "Running validation...\n",
		"validation loss 2.3, accuracy 0.5\n", "step %d loss 2.3\n")},
	{"a validation that prints the step of the training", Step, 50, checked(60, "",
		`{"step": %d, "split": "val", "loss": 2.3}`+"\n", `{"step": %d, "split": "train", "loss": 2.3}`+"\n")},
	{"an evaluation that is named before the same step", Step, 50, checked(60, "",
		"eval step %d: loss 2.3 accuracy 0.5\n", "train step %d: loss 2.3\n")},
	{"steps with a no-break space", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print("étape %d\u202f%03d : perte 2,31\n", 1+all/1000, all%1000)
		}), nil, nil)
	}},
	{"recurring work whose line names no evaluation", Step, 112.5, func(j *job) {
		for n := 1; n <= 400; n++ {
			if j.step(); n%4 == 0 {
				j.wait(250 * time.Millisecond)
				j.print("weights updated\n")
			}
			j.print("micro step %d loss 2.3\n", n)
		}
	}},
	{"the rates of the stages of a pipeline", "", 0, func(j *job) {
		for n := 1; n <= 400; n++ {
			if j.step(); n%20 == 0 {
				j.print("capture: 30.0 fps, inference: 20.0 fps, display: 20.0 fps\n")
			}
		}
	}},
	{"a validation that is named after the same count", "", 0, func(j *job) {
		for n := range 720 {
			name := "train"
			if n/60%2 == 1 {
				j.wait(30 * time.Millisecond)
				name = "valid"
			} else {
				j.step()
			}
			if n%10 == 9 {
				j.print("step %d/60 (%s) loss 2.3\n", n%60+1, name)
			}
		}
	}},
	{"the time and the rate of the network alone", "", 0, func(j *job) {
		for range 200 {
			s := j.step()
			j.print("inference %.1f ms (%.1f FPS)\n", 224*s, 1/(0.224*s))
		}
	}},
}

// checked trains, and validates for 3 s after every that many steps, with a line before and one after.
func checked(every int, before, after, trained string) func(j *job) {
	numbered := func(format string, n int) string { return strings.ReplaceAll(format, "%d", strconv.Itoa(n)) }
	return func(j *job) {
		for n := 1; n <= 600; n++ {
			j.step()
			if n%20 == 0 {
				j.print("%s", numbered(trained, n))
			}
			if n%every == 0 {
				j.print("%s", numbered(before, n))
				j.wait(3 * time.Second)
				j.print("%s", numbered(after, n))
			}
		}
	}
}

// silent are formats whose validation and checkpoint, 1.1 s each 60 steps, print nothing: what recurs and is not named
// is part of the mean.
var silent = strings.Split("diffusers|detectron2|fairseq as JSON|DeepSpeed|TensorFlow estimator|"+
	"TensorFlow object detection|Darknet|CatBoost|XGBoost|JSON lines|MaxText|steps with thousands|a table with rules|"+
	"step and loss, every 20, with a silent validation|a table with commas|a step and its loss, without a word|"+
	"MLPerf's log of training|CLU behind the date, with a rate|a heartbeat beside the training|"+
	"two processes that print the same steps|a time in JSON lines that is the hour|alive-progress|progressbar2|"+
	"steps with a no-break space", "|")

func TestReadManyFormats(t *testing.T) {
	t.Parallel()
	for _, f := range slices.Concat(formats, tutorials, programs, strangers) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			j := &job{now: time.Hour}
			f.run(j)
			o := Options{Batch: 16}
			if f.unit == Sample || strings.Contains(f.name, "the first line tells") {
				o = Options{Usual: 16} // nothing says how many make a minibatch
			}
			if slices.Contains(silent, f.name) {
				f.ms += 1100. / perEpoch
			}
			d := New(o)
			play(d, j.out)
			got, err := d.Read()
			if f.ms == 0 {
				if err == nil {
					t.Errorf("read as %s %q: %.4g ms a %s, of %+v", got.Form, got.What, got.TimeMS, got.Unit,
						got.Candidates)
				}
				return
			}
			if err != nil {
				t.Fatalf("%v; %+v", err, err.(*Undecided).Candidates)
			}
			if got.Unit != f.unit || math.Abs(got.TimeMS/f.ms-1) > 0.03 {
				t.Errorf("%s %q: %.4g ms a %s, want %g a %s; left out %v, of %+v", got.Form, got.What, got.TimeMS,
					got.Unit, f.ms, f.unit, got.LeftOut, got.Candidates)
			}
		})
	}
}
