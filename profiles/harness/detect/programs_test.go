package detect

import (
	"fmt"
	"strings"
	"time"
)

// programs are further lines of real programs, each of which was once misread or not read.
var programs = []format{
	{"a bar of signs that grow", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\rTraining  [%s%s]  %d/60  00:00:01", strings.Repeat("#", i/2), strings.Repeat("-", 30-i/2), i)
		}, nil, func(int) { j.print("\n") })
	}},
	{"AllenNLP, whose bars have one name and two lengths", Step, 50, func(j *job) {
		bar := func(n, of int) {
			j.print("\raccuracy: 0.51, batch_loss: 1.2, loss: 1.3 ||: %3d%%|%-10s| %d/%d [00:01<00:02, 19.92it/s]",
				100*n/of, strings.Repeat("#", 10*n/of), n, of)
		}
		j.train(func(e, i, all int, s float64) { bar(i, 60) }, func(n int) { bar(n, 15) }, func(int) { j.print("\n") })
	}},
	{"a bar that names a file each time", Step, 50, func(j *job) {
		for i := range 300 {
			j.step()
			name := strings.Repeat(string(rune('a'+i%26)), 1+i%7) + string(rune('a'+i%23)) + ".jpg"
			j.print("%s", drawn("Processing "+name+": ", i+1, 300, float64(i)*0.05))
		}
	}},
	{"WeNet: an epoch and a step, no length", Step, 50, func(j *job) {
		const begin = "2024-04-21 21:03:53,123 DEBUG "
		j.train(every(10, func(e, i, all int, s float64) {
			j.print(begin+"TRAIN Batch %d/%d loss 2.3 loss_att 1.2 lr 0.0001 rank 0\n", e, i-10)
		}), func(n int) {
			if n%5 == 1 {
				j.print(begin+"CV Batch 0/%d loss 2.3 history loss 2.2 rank 0\n", n-1)
			}
		}, nil)
	}},
	{"DCGAN: two counts in brackets, few lines an epoch", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			if i%20 == 1 {
				j.print("[%d/6][%d/60]\tLoss_D: 1.2\tLoss_G: 2.3\tD(x): 0.5\tD(G(z)): 0.4 / 0.3\n", e, i-1)
			}
		}, nil, nil)
	}},
	{"an outer bar of epochs with its rate", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\n%s\x1b[A", drawn("Iteration: ", i, 60, float64(i)*0.05))
		}, nil, func(e int) {
			j.print("\rEpoch: %3d%%|██| %d/6 [00:%02d<00:10,  4.10s/it]", 100*e/6, e+1, 4*e+4)
		})
	}},
	{"bars without names, validation longer than training", "", 0, func(j *job) {
		for range 4 {
			for i := range 60 {
				j.step()
				j.print("%s", drawn("", i+1, 60, float64(i)*0.05))
			}
			j.print("\n")
			for i := range 200 {
				j.wait(20 * time.Millisecond)
				j.print("%s", drawn("", i+1, 200, float64(i)*0.02))
			}
			j.print("\n")
		}
	}},
	{"PaddleDetection, with the rate of the evaluation", Step, 50, lines(20, "[04/21 21:03:53] ppdet.engine INFO: "+
		"Epoch: [{epoch}] [{i:2}/60] learning_rate: 0.001 loss: 2.3 eta: 0:00:12 batch_cost: 0.0500 data_cost: 0.0010 "+
		"ips: 320.0 images/s\n",
		"[04/21 21:03:56] ppdet.engine INFO: Total sample number: 240, average FPS: 50.0\n")},
	{"MindSpore, with the time of a step of the whole epoch", Step, 50, lines(1, "epoch: {Epoch} step: {i}, loss is "+
		"2.3\n", "Train epoch time: 3300.0 ms, per step time: 55.000 ms\n")},
	{"a table with commas", Step, 50, func(j *job) {
		j.print("epoch,step,loss,lr\n")
		j.train(every(10, func(e, i, all int, s float64) { j.print("%d,%d,2.3456,0.001\n", e, all) }), nil, nil)
	}},
	{"a table with rules", Step, 50, func(j *job) {
		j.print("| epoch |     step | train loss |\n|-------|----------|------------|\n")
		j.train(every(10, func(e, i, all int, s float64) { j.print("| %5d | %8d |     2.3456 |\n", e, all) }), nil, nil)
	}},
	{"a step and its loss, without a word", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) { j.print("%d %.3f\n", all-1, 700/float64(all)) }), nil, nil)
	}},
	{"MLPerf's log of training", Step, 50, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print(`:::MLLOG {"time_ms": %d, "key": "train_loss", "value": 2.3, `+
				`"metadata": {"lineno": 142, "step_num": %d}}`+"\n",
				1713733433123+int64(j.now/time.Millisecond), all)
		}), nil, nil)
	}},
	{"counts of right answers", Step, 50, func(j *job) {
		j.train(every(5, func(e, i, all int, s float64) {
			j.print("Epoch %d batch %d loss 2.3 correct %d/16 total %d/%d\n", e, i, i%16, 9*i, 16*i)
		}), nil, nil)
	}},
	{"a batch size in each line", Step, 50, lines(5, "batch size 16, batch {i}, loss 2.3\n")},
	{"samples that a word names", Step, 50, lines(5, "Epoch {Epoch}: processed {seen} of 960 samples, loss 2.3\n")},
	{"an evaluation that counts as the training does", Step, 50, func(j *job) {
		for i := range 360 {
			j.step()
			j.print("step %d loss 2.3\n", i+1)
			for n := range 20 {
				if i%50 == 49 {
					j.wait(20 * time.Millisecond)
					j.print("step %d loss 2.3\n", n)
				}
			}
		}
	}},
	{"the epoch before a rate", Sample, 50. / 16, lines(10, "Train: epoch {epoch} images/sec: 320.0 loss 2.3\n")},
	{"numbers without order", "", 0, func(j *job) {
		for i := range 100 {
			j.wait(200 * time.Millisecond)
			j.print("step %d\n", (i*i*7919+13*i)%997)
		}
	}},
	{"frames per second of the network alone", Frame, 50, func(j *job) {
		for range 300 {
			j.print("fps: %.2f\n", 1/j.step()/0.7)
		}
	}},
	{"cameras in a line", Frame, 25, after(20, time.Second, "cam0: 20.0 fps, cam1: 20.0 fps\n")},
	{"a line for each camera, the second late", Frame, 25, func(j *job) {
		for i := range 15 {
			j.wait(time.Second - 20*time.Millisecond)
			j.print("[cam0] FPS: %.2f\n", 20+float64(i%3)/100)
			j.wait(20 * time.Millisecond)
			j.print("[cam1] FPS: %.2f\n", 20-float64(i%3)/100)
		}
	}},
	{"DeepStream's Python programs", Frame, 25, func(j *job) {
		for i := range 15 {
			j.wait(time.Second)
			rate := fmt.Sprint(min(i, 1) * 20)
			j.print("\n**PERF:  {'stream0': %s.0, 'stream1': %s.0}\n", rate, rate)
		}
	}},
	{"prefill and decode in a line", Token, 12, after(10, 484*time.Millisecond,
		"prefill: 510.0 tok/s, decode: 83.33 tok/s\n")},
	{"text-generation-inference", Token, 12, after(20, 484*time.Millisecond, `INFO generate{total_time="484.12ms" `+
		`validation_time="112.3µs" queue_time="45.1µs" inference_time="484.0ms" time_per_token="12.00ms" `+
		`seed="None"}: text_generation_router: Success`+"\n")},
	{"vLLM's benchmark of throughput", Token, 12, func(j *job) {
		for i := range 25 {
			j.wait(480 * time.Millisecond)
			j.print("\rProcessed prompts: %3d%%|██| %d/25 [00:05<00:06,  2.08it/s, est. speed input: 106.25 toks/s, "+
				"output: 83.33 toks/s]", 4*i+4, i+1)
		}
		j.print("\nThroughput: 2.08 requests/s, 189.58 total tokens/s, %.3f output tokens/s\n", 1000./12)
	}},
	{"TensorFlow Lite, with its warm-up", Inference, 50, func(j *job) {
		j.wait(time.Second)
		j.print("INFO: count=10 first=80123 curr=51001 min=50000 max=80123 avg=53000 std=9000\n")
		j.wait(3 * time.Second)
		j.print("INFO: count=60 first=50123 curr=50001 min=49000 max=52000 avg=50000 std=400\n\n" +
			"INFO: Inference timings in us: Init: 12345, First inference: 80123, Warmup (avg): 53000, " +
			"Inference (avg): 50000\n")
	}},
	{"MLPerf's offline scenario", Inference, 50, after(1, 3*time.Second, "Scenario : Offline\n"+
		"Samples per second: 20.0\nMean latency (ns)               : 1550000000\n"+
		"50.00 percentile latency (ns)   : 1550000000\n")},
	{"ncnn, one model", Inference, 50, after(1, 2*time.Second,
		"          squeezenet  min =   49.00  max =   52.00  avg =   50.00\n")},
	{"ncnn, several models", "", 0, func(j *job) {
		for _, ms := range []int{50, 70, 110, 400} {
			j.wait(time.Duration(18*ms) * time.Millisecond)
			j.print("          model%d  min =   %d.00  max =   %d.00  avg =   %d.00\n", ms, ms-1, ms+2, ms)
		}
	}},
}
