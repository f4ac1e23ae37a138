"""Keeps a board as busy as it can be: a process on each core, and products of 16-bit matrices on the GPU, which use its
tensor cores. Without PyTorch and CUDA the CPU alone is busy, and says so: a floor of what the board may draw.

Started by jtune; by hand: JTUNE_PROTOCOL=1 python3 envelope.py
"""
import importlib.util
import multiprocessing
import os
import signal
import sys
import time

import jtune
import system

UNIT_S = 0.2  # about the time of a unit that is told of


def cores():
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def burn():
    """One core without a pause, by products of matrices where there is NumPy."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import numpy
        a = numpy.random.rand(192, 192)
        while True:
            a = numpy.tanh(a @ a)
    except ImportError:
        x = 0.5
        while True:
            for _ in range(100000):
                x = 3.9 * x * (1.0 - x)


class GPU:
    """Products of two matrices that fit into half of the free memory."""

    def __init__(self, torch):
        self.torch = torch
        side = 4096
        while side > 512:
            try:
                self.a = torch.randn(side, side, device="cuda", dtype=torch.float16)
                self.b = torch.randn(side, side, device="cuda", dtype=torch.float16)
                self.out = torch.matmul(self.a, self.b)
                break
            except RuntimeError:  # out of memory
                side //= 2
        self.side, self.many = side, 1
        torch.cuda.synchronize()

    def unit(self):
        begin = time.perf_counter()
        for _ in range(self.many):
            self.torch.matmul(self.a, self.b, out=self.out)
        self.torch.cuda.synchronize()
        took = time.perf_counter() - begin
        if took < UNIT_S / 2:
            self.many *= 2


class Idle:
    """No GPU to keep busy."""

    def unit(self):
        time.sleep(UNIT_S)


def gpu():
    """The GPU's load, and what is to be said of it."""
    try:
        import torch
    except ImportError:
        return Idle(), "no PyTorch in " + sys.executable
    if not torch.cuda.is_available():
        return Idle(), "PyTorch %s sees no CUDA" % torch.__version__
    on = GPU(torch)
    return on, "products of 16-bit matrices of %d on %s" % (on.side, torch.cuda.get_device_name(0))


def main():
    os.environ.setdefault("JTUNE_PROTOCOL", "1")
    # one thread in each process: as many as cores are there already
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    children = [multiprocessing.Process(target=burn, daemon=True) for _ in range(cores())]
    for c in children:
        c.start()

    def stop(*_):
        for c in children:
            c.terminate()
        os._exit(0)

    signal.signal(signal.SIGTERM, stop)
    load, says = gpu()
    arithmetic = "NumPy" if importlib.util.find_spec("numpy") else "plain Python"
    what = "%d CPU processes (%s)" % (len(children), arithmetic)
    if isinstance(load, Idle):
        what += "; the GPU was idle, a floor: " + says
    else:
        what += "; " + says
    jtune.tell("hello", os=system.kernel(), jetpack=system.jetpack(), load=what)
    n = 0
    while True:
        with jtune.minibatch(0, n):
            load.unit()
        n += 1
        for c in children:
            if not c.is_alive():
                jtune.tell("error", message="a process of the load has ended: %s" % c.exitcode)
                return 3


if __name__ == "__main__":
    sys.exit(main())
