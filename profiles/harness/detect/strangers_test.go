package detect

import (
	"fmt"
	"strings"
	"time"
)

// strangers are lines that were invented after other programs, before anybody looked at how they would be read.
var strangers = []format{
	{"passes that are numbered, with the inferences a second", Inference, 50, func(j *job) {
		for i := range 20 {
			j.wait(5 * time.Second)
			j.print("  Pass [%d] throughput: %.2f infer/sec. Avg latency: 50%d11 usec (std 120 usec).\n", i+1,
				20+0.01*float64(i%4), i%7)
		}
	}},
	{"passes that are numbered, with the inferences of each", Inference, 50, func(j *job) {
		for i := range 20 {
			j.wait(5 * time.Second)
			j.print("Pass [%d] of the client: %.2f infer/sec\n", i+1, 20+0.01*float64(i%4))
		}
	}},
	{"the time of each frame behind the second of the hour", Frame, 50, func(j *job) {
		for range 200 {
			took := 1000 * j.step()
			j.print("2026-11-30 12:03:%02d Frame time: %.1f ms\n", int(j.now.Seconds())%60, took)
		}
	}},
	{"a bar that goes back by backspaces alone", Step, 50, func(j *job) {
		wide := 0
		j.train(func(e, i, all int, s float64) {
			line := fmt.Sprintf("\x1b[1m%2d/60\x1b[0m \x1b[32m%s\x1b[37m%s\x1b[0m \x1b[1m2s\x1b[0m "+
				"51ms/step - loss: 2.3", i, strings.Repeat("━", i/3), strings.Repeat("━", 20-i/3))
			j.print("%s%s", strings.Repeat("\b", wide), line)
			wide = len(line)
		}, nil, func(e int) {
			j.print("\nEpoch %d/6\n", e+2)
			wide = 0
		})
	}},
	{"Keras with a line an epoch, whose time per step holds the validation", Epoch, 4100, func(j *job) {
		for e := range epochs {
			j.print("Epoch %d/6\n", e+1)
			j.wait(4100 * time.Millisecond)
			j.print("60/60 - 4s - 68ms/step - accuracy: 0.5 - loss: 2.3 - val_accuracy: 0.5 - val_loss: 2.4\n")
		}
	}},
	{"a count without a word beside a rate that is a mean since the start", Step, 50, func(j *job) {
		begun := j.now
		for i := range 260 {
			j.step()
			if i%10 == 0 {
				j.print("\rNetwork yolov5m/yolov5m: %d%% | %d | FPS: %.2f | ETA: 00:00:09", 100*i/260, i,
					float64(i)/(j.now-begun).Seconds())
			}
		}
	}},
	{"PPO, whose fps is a mean since the start", Step, 1400, func(j *job) {
		begun := j.now
		for i := range 12 {
			j.wait(time.Duration(1400-600*max(0, 1-i)) * time.Millisecond)
			j.print("| time/              |      |\n|    fps             | %d |\n|    iterations      | %d |\n"+
				"|    total_timesteps | %d |\n", int(2048*float64(i+1)/(j.now-begun).Seconds()), i+1, 2048*(i+1))
		}
	}},
	{"a time of the larger part of each utterance", "", 0, func(j *job) {
		for i := range 100 {
			s := j.step()
			j.print("utt-%04d hyp: hello world %d rtf=0.06 decode=%.1fms\n", i, i*7%99, 0.88*1000*s)
		}
	}},
	{"a time of nearly all of each utterance", Step, 50, func(j *job) {
		for i := range 100 {
			s := j.step()
			j.print("utt-%04d hyp: hello world %d rtf=0.06 decode=%.1fms\n", i, i*7%99, 0.94*1000*s)
		}
	}},
	{"CLU behind the date, with a rate", Step, 50, func(j *job) {
		j.train(every(20, func(e, i, all int, s float64) {
			j.print("I0301 10:00:00.123456 140 logging_writer.py:48] [%d] accuracy=0.5, loss=2.3, steps_per_sec=%.1f\n",
				all, 20+0.1*float64(all%3-1))
		}), nil, nil)
	}},
	{"a loader that counts beside the training", Step, 100, func(j *job) {
		for i := range 660 {
			j.wait(20 * time.Millisecond)
			j.print("[loader] prefetched shard %d/960\n", i+1)
			if i%5 == 4 {
				j.print("iteration %d, loss 2.3\n", i/5+1)
			}
		}
	}},
	{"a heartbeat beside the training", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			if all%17 == 16 {
				j.print("heartbeat %d ok\n", all/17)
			}
			if all%10 == 9 {
				j.print("update %d loss 2.3\n", all)
			}
		}, nil, nil)
	}},
	{"two processes that print the same steps", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("[rank0] step %d loss 2.3\n", all)
			j.print("[rank1] step %d loss 2.4\n", all)
		}, nil, nil)
	}},
	{"seconds since the epoch began", Step, 50, func(j *job) {
		begun := j.now
		j.train(func(e, i, all int, s float64) {
			if i == 1 {
				begun = j.now
			}
			if i%5 == 4 {
				j.print("Epoch %d Step %d | loss 2.3 | %.2f s\n", e+1, i, (j.now - begun).Seconds())
			}
		}, nil, nil)
	}},
	{"an iteration in small batches, and the steps of four of them", "", 0, func(j *job) {
		j.train(every(5, func(e, i, all int, s float64) {
			j.print("Epoch 1 | iter %d step %d | loss train: 2.3, val: n/a | iter time: 50.00 ms\n", all, all/4)
		}), nil, nil)
	}},
	{"a time in JSON lines that is the hour", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print(`{"step": %d, "loss": 2.3, "time": %.3f, "level": "info"}`+"\n", all, 1.7e9+j.now.Seconds())
		}, nil, nil)
	}},
	{"alive-progress", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\r|%-40s| %d/360 [%d%%] in %.1fs (20.0/s, eta: 3s)", strings.Repeat("█", all/9), all, 100*all/360,
				float64(all)/20)
		}, nil, nil)
	}},
	{"progressbar2", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			j.print("\r%3d%% (%d of 360) |%-40s| Elapsed Time: 0:00:%02d ETA:   0:00:02", 100*all/360, all,
				strings.Repeat("#", all/9), all/20%60)
		}, nil, nil)
	}},
	{"NanoDet, with the count of the whole beside that of the epoch", Step, 50, lines(5,
		"[NanoDet][11-30 17:08:32]INFO: Train|Epoch{Epoch}/6|Iter{n}({i}/60)| mem:2.1G| loss:0.5|\n")},
	{"frames a second and their time, without a colon", Frame, 50, func(j *job) {
		for i := range 20 {
			j.wait(time.Second)
			j.print("FPS %.1f (%.1f ms)\n", 20+0.1*float64(i%3-1), 50-0.2*float64(i%3-1))
		}
	}},
	{"tf_cnn_benchmarks", Step, 50, func(j *job) {
		for i := range 300 {
			if s := j.step(); i%10 == 9 {
				j.print("%d\timages/sec: %.1f +/- 0.0 (jitter = 0.%d)\t2.345\n", i+1, 16/s, i%9)
			}
		}
	}},
	{"a table with commas and the date", Step, 50, func(j *job) {
		j.print("time,epoch,iter,loss\n")
		for i := range 300 {
			j.step()
			j.print("2026-11-30T17:08:%02d.%03d,%d,%d,2.31\n", i/20%60, i%20*50, i/60, i%60)
		}
	}},
	{"a time that ten steps take", Step, 50, func(j *job) {
		for i := range 300 {
			if j.step(); i%10 == 9 {
				j.print("10 steps in %.3f s, loss 2.3\n", 0.5+0.001*float64(i%3-1))
			}
		}
	}},
	{"a time for a hundred steps", Step, 50, func(j *job) {
		for i := range 700 {
			if j.step(); i%100 == 99 {
				j.print("loss 2.3 (%.2f sec/100 iters)\n", 5+0.01*float64(i%3-1))
			}
		}
	}},
	{"pictures whose names hold a number", Frame, 50, func(j *job) {
		for i := range 300 {
			j.step()
			j.print("image %d/300 /data/img%d.jpg: 480x640 3 persons, 35.%dms\n", i+1, 7*i, i%9)
		}
	}},
	{"a count without a word behind numbers with signs and exponents", Step, 50, func(j *job) {
		for i := range 300 {
			j.step()
			j.print("%.3e %.3f %d\n", []float64{2.3, 0.23}[i%7%2], []float64{-1, 1}[i%5%2], i+1)
		}
	}},
	{"a validation after each line that is logged", Step, 50, func(j *job) {
		for i := range 300 {
			if j.step(); i%10 == 9 {
				j.print("step %d loss 2.3\n", i+1)
				j.wait(400 * time.Millisecond)
				j.print("val loss 2.4\n")
			}
		}
	}},
	{"a validation after each step and one between", Step, 50, func(j *job) {
		for i := range 300 {
			if j.step(); i%10 == 9 {
				j.print("step %d loss 2.3\n", i+1)
			}
			if i%5 == 4 {
				j.wait(400 * time.Millisecond)
				j.print("val loss 2.4\n")
			}
		}
	}},
	{"frames that are validated", Frame, 50, func(j *job) {
		for i := range 300 {
			j.wait(20 * time.Millisecond)
			j.print("Frame %d decoded\n", i+1)
			j.wait(30 * time.Millisecond)
			j.print("  validated checksum %x\n", i*977%10007)
		}
	}},
	{"a stamp in units of 90 kHz", "", 0, func(j *job) {
		for i := range 300 {
			j.step()
			j.print("decoded pts %d\n", 3600*i)
		}
	}},
	{"a stamp in milliseconds of the film", "", 0, func(j *job) {
		for i := range 300 {
			j.step()
			j.print("%d objects t=%d\n", i*7%5, 40*i)
		}
	}},
	{"thousands behind a point", Step, 50, grouped("Schritt %s: 2.3\n", ".")},
	{"thousands behind a space", Step, 50, grouped("étape %s : 2.3\n", " ")},
	{"thousands behind a low line", Step, 50, grouped("step=%s loss=2.3\n", "_")},
	{"thousands of a count and of its end", Step, 50, grouped("Batch %s/9.000 loss 2.3\n", ".")},
	{"a table of episodes and of the steps in them", Step, 5, func(j *job) {
		for i, all := 0, 0; i < 60; i++ {
			n := 80 + i*37%61
			j.wait(time.Duration(n) * 5 * time.Millisecond)
			all += n
			j.print("| time/              |      |\n|    episodes        | %d |\n|    fps             | 200 |\n"+
				"|    time_elapsed    | %d |\n|    total_timesteps | %d |\n", 4*i+4, int(j.now.Seconds()), all)
		}
	}},
	{"four workers some steps apart", Step, 50, workers("step %[3]d loss 2.3\n")},
	{"four workers some steps apart, by epochs", Step, 50, workers("Epoch [%[1]d][%[2]d/60] loss 2.3\n")},
	{"a bar within a bar of the same look", Step, 50, func(j *job) {
		for i := range 300 {
			s := j.step()
			j.print("%s", drawn("", i+1, 300, s))
			for n := 0; i%100 == 49 && n < 20; n++ {
				j.wait(20 * time.Millisecond)
				j.print("%s", drawn("", n+1, 20, s))
			}
		}
	}},
	{"a percentage alone", "", 0, func(j *job) {
		j.train(func(e, i, all int, s float64) { j.print("Progress: %.1f%%\n", float64(all)/3.6) }, nil, nil)
	}},
}

// grouped prints steps around a thousand, whose groups of digits a text separates.
func grouped(line, between string) func(j *job) {
	return func(j *job) {
		for i := 900; i < 1300; i++ {
			j.step()
			text := fmt.Sprint(i)
			j.print(line, strings.TrimPrefix(text[:len(text)-3]+between+text[len(text)-3:], between))
		}
	}
}

// workers prints the steps of four workers, each a little later than the one before.
func workers(line string) func(j *job) {
	return func(j *job) {
		for tick := range 1600 {
			j.wait(12500 * time.Microsecond)
			for w := range 4 {
				if step := (tick - 5*w) / 4; tick >= 5*w && (tick-5*w)%4 == 0 {
					j.print(line, step/60+1, step%60+1, step+1)
				}
			}
		}
	}
}
