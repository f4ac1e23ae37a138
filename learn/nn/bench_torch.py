#!/usr/bin/env python3
"""Times the training that BenchmarkReference times, with PyTorch and scikit-learn.

    python3 learn/nn/bench_torch.py resnet_train_data_final.csv [--batch 64] [--epochs 100]

The same network, rows, split, optimiser, dropout and checkpoint as learn/nn
(scikit-learn has no dropout and no checkpoint: its work is smaller). PyTorch
gets its batches from one shuffled index per pass, which is faster than its
DataLoader. Prints one JSON object per line: {"name", "batch", "seconds",
"loss"}; loss is the least validation loss of the standardised target.
"""
import argparse
import copy
import csv
import json
import os
import time
import warnings

import numpy


def load(path):
    """Standardised inputs and times of a sweep file."""
    with open(path, newline="") as f:
        rows = list(csv.reader(f))
    values = numpy.array([[float(v) for v in r[:5]] for r in rows[1:]])
    values = (values - values.mean(0)) / values.std(0)
    order = numpy.random.default_rng(0).permutation(len(values))
    held = round(len(values) / 10)
    values = values[order].astype(numpy.float32)
    return values[held:, :4], values[held:, 4], values[:held, :4], values[:held, 4]


def with_torch(data, batch, epochs, threads):
    import torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(threads)
    x, z, held_x, held_z = (torch.from_numpy(v) for v in data)
    net = nn.Sequential(nn.Linear(4, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.1),
                        nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
    for layer in net:
        if isinstance(layer, nn.Linear):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)
    adam = torch.optim.Adam(net.parameters(), lr=1e-3, eps=1e-7)
    mse = nn.MSELoss()
    least, kept = float("inf"), None
    start = time.perf_counter()
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
    seconds = time.perf_counter() - start
    net.load_state_dict(kept)
    return {"name": f"PyTorch {torch.__version__}, {threads} thread{'s' * (threads > 1)}", "batch": batch, "seconds": seconds, "loss": least}


def with_sklearn(data, batch, epochs):
    import sklearn
    from sklearn.neural_network import MLPRegressor

    warnings.simplefilter("ignore")  # it warns that 100 passes did not converge
    x, z, held_x, held_z = data
    net = MLPRegressor((256, 128, 64), alpha=0, batch_size=batch, max_iter=epochs, n_iter_no_change=epochs, tol=0, epsilon=1e-7, random_state=0)
    start = time.perf_counter()
    net.fit(x, z)
    seconds = time.perf_counter() - start
    loss = float(((net.predict(held_x) - held_z) ** 2).mean())
    return {"name": f"scikit-learn {sklearn.__version__} (no dropout)", "batch": batch, "seconds": seconds, "loss": loss}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sweep")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=100)
    a = parser.parse_args()
    data = load(a.sweep)
    threads = sorted({1, 2, os.cpu_count() or 1})
    runs = [lambda n=n: with_torch(data, a.batch, a.epochs, n) for n in threads if n <= (os.cpu_count() or 1)]
    for run in runs + [lambda: with_sklearn(data, a.batch, a.epochs)]:
        try:
            print(json.dumps(run()), flush=True)
        except ImportError as e:
            print(json.dumps({"missing": str(e)}), flush=True)


if __name__ == "__main__":
    main()
