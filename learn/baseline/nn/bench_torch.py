#!/usr/bin/env python3
"""Trains what BenchmarkAgainstPython trains, with PyTorch and scikit-learn.

    go test -run '^$' -bench AgainstPython ./learn/nn

The benchmark writes the rows: four inputs, the target, and 1 for a row held
out, 0 for one to learn from. Network, rows, split, scaling, optimiser, dropout
and checkpoint are those of learn/nn (scikit-learn has no dropout and no
checkpoint: its work is smaller). PyTorch gets its batches from one shuffled
index per pass, which is faster than its DataLoader. Prints one JSON object per
line: {"name", "threads", "seconds", "cpu", "loss", "mape"}; cpu is what the
process used of the processors, loss the squared error of the standardised
target on the rows held out, mape the absolute error there in percent.
"""
import argparse
import copy
import json
import os
import time
import warnings

import numpy


def load(path):
    """Standardised training and held-out rows, and what undoes the target's scaling."""
    rows = numpy.loadtxt(path, delimiter=",")
    held = rows[:, 5] == 1
    x = (rows[:, :4] - rows[:, :4].mean(0)) / rows[:, :4].std(0)
    mean, sd = rows[~held, 4].mean(), rows[~held, 4].std()
    z = (rows[:, 4] - mean) / sd
    x, z = x.astype(numpy.float32), z.astype(numpy.float32)
    return x[~held], z[~held], x[held], z[held], mean, sd


def score(z, held_z, mean, sd):
    """Squared error, and absolute error in percent of the target."""
    true = mean + sd * held_z
    return float(((z - held_z) ** 2).mean()), float(100 * (abs(sd * (z - held_z)) / true).mean())


def with_torch(data, batch, epochs, threads, seed):
    import torch
    from torch import nn

    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    x, z, held_x, held_z = (torch.from_numpy(v) for v in data[:4])
    net = nn.Sequential(nn.Linear(4, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.1),
                        nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
    for layer in net:
        if isinstance(layer, nn.Linear):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-7)
    mse = nn.MSELoss()
    least, kept = float("inf"), None
    start, cpu = time.perf_counter(), time.process_time()
    for _ in range(epochs):
        net.train()
        order = torch.randperm(len(x))
        for at in range(0, len(x), batch):
            rows = order[at:at + batch]
            adam.zero_grad()
            mse(net(x[rows]).squeeze(1), z[rows]).backward()
            adam.step()
        net.eval()
        with torch.no_grad():
            loss = mse(net(held_x).squeeze(1), held_z).item()
        if loss < least:
            least, kept = loss, copy.deepcopy(net.state_dict())
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    net.load_state_dict(kept)
    with torch.no_grad():
        loss, mape = score(net(held_x).squeeze(1).numpy(), *data[3:])
    return {"name": f"PyTorch {torch.__version__}", "threads": threads, "seconds": seconds, "cpu": cpu, "loss": loss, "mape": mape}


def with_sklearn(data, batch, epochs, seed):
    import sklearn
    from sklearn.neural_network import MLPRegressor

    warnings.simplefilter("ignore")  # it warns that 100 passes did not converge
    x, z, held_x = data[:3]
    net = MLPRegressor((256, 128, 64), alpha=0, batch_size=batch, max_iter=epochs, n_iter_no_change=epochs, tol=0, epsilon=1e-7, random_state=seed)
    start, cpu = time.perf_counter(), time.process_time()
    net.fit(x, z)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    loss, mape = score(net.predict(held_x), *data[3:])
    return {"name": f"scikit-learn {sklearn.__version__}", "threads": 0, "seconds": seconds, "cpu": cpu, "loss": loss, "mape": mape}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0, help="of PyTorch; 0: one after another 1, 2 and as many as there are cores")
    a = parser.parse_args()
    data = load(a.rows)
    cores = len(os.sched_getaffinity(0))
    for threads in [a.threads] if a.threads else sorted({1, 2, cores} & set(range(1, cores + 1))):
        print(json.dumps(with_torch(data, a.batch, a.epochs, threads, a.seed)), flush=True)
    print(json.dumps(with_sklearn(data, a.batch, a.epochs, a.seed)), flush=True)


if __name__ == "__main__":
    main()
