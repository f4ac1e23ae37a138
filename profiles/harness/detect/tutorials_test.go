package detect

import "time"

// tutorials are formats that were seen in real programs: PyTorch's tutorials and examples, skorch, Pytorch-UNet.
var tutorials = []format{
	{"PyTorch's tutorial: samples, of which the first line tells a minibatch", Step, 50, func(j *job) {
		j.train(func(e, i, all int, s float64) {
			if i%10 == 1 {
				j.print("loss: 2.303494  [%5d/%5d]\n", i*16, 60*16)
			}
		}, nil, func(int) { j.print("Test Error: \n Accuracy: 10.0%%, Avg loss: 2.3 \n\n") })
	}},
	{"PyTorch's older tutorial: samples, a minibatch of an unknown size", Sample, 50. / 64, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) { j.print("loss: 2.303494  [%5d/%5d]\n", i*64, 60*64) }), nil,
			nil)
	}},
	{"PyTorch's CIFAR tutorial", Step, 50, lines(20, "[{Epoch}, {i:5}] loss: 2.300\n")},
	{"PyTorch's fast neural style", Sample, 50. / 16, func(j *job) {
		j.train(every(10, func(e, i, all int, s float64) {
			j.print("Tue Nov 24 03:10:%02d 2026\tEpoch %d:\t[%d/960]\tcontent: 2.345678\tstyle: 1.234567\n", all/20,
				e+1, i*16)
		}), nil, nil)
	}},
	{"PyTorch's language model", Step, 50, lines(10, "| epoch {Epoch:3} | {i:5}/   60 batches | lr 20.00 | "+
		"ms/batch 50.00 | loss  2.30 | ppl     9.97\n",
		"| end of epoch {Epoch:3} | time:  3.10s | valid loss  2.30 |\n")},
	{"a table of epochs", Epoch, 3300, func(j *job) {
		j.print("  epoch    train_loss    valid_acc    valid_loss     dur\n-------  ------------  -----------  ----\n")
		j.train(nil, nil, func(e int) {
			j.print("%7d        %.4f       0.1016           nan  3.3000\n", e+1, 2.3-float64(e)/10)
			j.now -= checkpoint
		})
	}},
	{"steps of a busy machine in samples", Sample, 50. / 32, func(j *job) {
		for e := range 6 {
			for i := range 60 {
				j.wait(time.Duration(float64(50*time.Millisecond) * []float64{0.5, 1, 0.6, 1, 1.9}[(e+i*7)%5]))
				j.print("\rEpoch %d/6: %3d%%|██| %d/1920 [00:01<00:02, 640.0img/s, loss (batch)=2.3]", e+1, i, i*32+32)
			}
		}
	}},
	{"epochs of a busy machine", Step, 50, func(j *job) {
		for e := range 3 {
			for i := range 60 {
				d := []float64{0.5, 0.9, 1, 1.1, 1}[i%5]
				if e == 1 {
					d = []float64{0.5, 1, 1.5, 1.5, 1.5}[i%5]
				}
				j.wait(time.Duration(float64(50*time.Millisecond) * d))
				j.print("%s", drawn("", i+1, 60, float64(i)*0.05))
			}
		}
	}},
	{"ESPnet", Step, 50, func(j *job) {
		j.train(every(20, func(e, i, all int, s float64) {
			j.print("[host] 2024-05-01 10:00:00,000 (trainer:737) INFO: %depoch:train:%d-%dbatch: iter_time=1.2e-04, "+
				"forward_time=0.012, loss=2.3, train_time=0.050\n", e+1, i-19, i)
		}), nil, nil)
	}},
}
