"""Tells jtune of a training script's minibatches. Needs nothing but Python.

    for epoch in range(epochs):
        for batch, (x, y) in enumerate(loader):
            with jtune.minibatch(epoch, batch):
                train_step(x, y)            # copy to the GPU included

A server says jtune.request(arrive, ...), another inference job

    with jtune.inference(len(x)):
        model(x)

Outside jtune it stays silent. The wait for the data before the block is
fetch_ms, the block compute_ms. The first minibatch of an epoch, which may wait
for new loaders or a validation, does not count; say clean=False of others that
do more than train, such as writing a checkpoint.
"""
import contextlib
import json
import os
import socket
import sys
import time

_last = {"end": None, "epoch": None}


def tell(event, **fields):
    """Prints one event as a line of JSON; see the package's protocol."""
    if "JTUNE_PROTOCOL" in os.environ:
        line = json.dumps(dict(fields, event=event, t=round(time.monotonic(), 6)))
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _synchronize():
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()


@contextlib.contextmanager
def inference(n=1, phase="", clean=True):
    """Times the block, which answers n units: inferences, frames or tokens."""
    begin = time.perf_counter()
    yield
    _synchronize()
    tell("infer", n=n, time_ms=1e3 * (time.perf_counter() - begin), phase=phase, clean=clean)


def request(arrive, start=None, first=None, end=None, **units):
    """Tells of an answered request: seconds of time.monotonic() and, as in=512, out=128, units of question and answer."""
    times = {"arrive": arrive, "start": start, "first": first, "end": time.monotonic() if end is None else end}
    tell("request", **dict({k: v for k, v in times.items() if v is not None}, **units))


_socket = []


def turns():
    """The turn socket, once; None where the job has the GPU for itself."""
    if not _socket:
        number = os.environ.get("JTUNE_TURN")
        _socket.append(socket.socket(fileno=int(number)).makefile("rw", encoding="utf-8", newline="\n") if number
                       else None)
    return _socket[0]


@contextlib.contextmanager
def turn(job="train"):
    """Waits for the job's turn on a GPU that two jobs share and gives it back after the block. The value is how many
    requests to answer: 1 for a minibatch. Have the data at hand before: the other job waits meanwhile."""
    line = turns()
    if line is None:
        yield 1
        return
    line.write(json.dumps({"want": job}) + "\n")
    line.flush()
    answer = line.readline()
    if not answer:
        raise SystemExit(0)  # jtune has ended
    yield json.loads(answer)["n"]
    _synchronize()
    line.write('{"done":1}\n')
    line.flush()


@contextlib.contextmanager
def minibatch(epoch=0, batch=0, clean=True):
    """Times the block and what went before it since the last one's end."""
    begin = time.perf_counter()
    yield
    _synchronize()
    end = time.perf_counter()
    first = _last["end"] is None or _last["epoch"] != epoch
    since = begin if first else _last["end"]
    tell("minibatch", epoch=epoch, batch=batch, time_ms=1e3 * (end - since), fetch_ms=1e3 * (begin - since),
         compute_ms=1e3 * (end - begin), clean=clean and not first)
    _last.update(end=time.perf_counter(), epoch=epoch)
