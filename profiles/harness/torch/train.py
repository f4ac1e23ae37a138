"""Trains a network of the papers, or lets it answer, and tells jtune of every minibatch.

Started by jtune; by hand: python3 train.py --net lenet5 --set mnist --data synthetic --minibatches 10
"""
import argparse
import multiprocessing.util
import os
import shutil
import signal
import sys

import jtune
from fault import Fault


def settings():
    env = os.environ.get
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--net", required=True, help="resnet18 mobilenet yolov8n bert lstm lenet5 vgg11; with --infer also alexnet yolov4tiny berttiny distilbert")
    p.add_argument("--set", required=True, help="mnist cifar10 imagenet-val gld23k coco squad wikitext sentences")
    p.add_argument("--data", required=True, help="folder of the data set, or synthetic")
    p.add_argument("--batch", type=int, default=int(env("JTUNE_BATCH", 16)))
    p.add_argument("--workers", type=int, default=int(env("JTUNE_WORKERS", 4)), help="loader processes; 0: none but this one")
    p.add_argument("--prefetch", type=int, default=int(env("JTUNE_PREFETCH", 2)), help="minibatches ahead per loader")
    p.add_argument("--epochs", type=int, default=int(env("JTUNE_EPOCHS", 0)), help="0: until ended")
    p.add_argument("--minibatches", type=int, default=0, help="end after so many; 0: never")
    p.add_argument("--requests", type=int, default=int(env("JTUNE_REQUESTS", 0)), help="answered in each epoch, with --infer; 0: the data set's")
    p.add_argument("--infer", action="store_true", help="forward pass alone")
    p.add_argument("--half", action="store_true", help="16-bit numbers, on CUDA")
    p.add_argument("--no-gc", action="store_true", help="without Python's garbage collection")
    p.add_argument("--cache", choices=("", "preload", "drop", "drop-once"), default="", help="the data's files in the page cache, before each epoch or the first alone")
    p.add_argument("--device", default="", help="cuda, cpu; cuda where there is one")
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def stop(*_):
    """Ends at once: loaders end by themselves, and nothing waits to be kept but their folder, to be removed."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # torch's handler raises when a loader has ended
        shutil.rmtree(multiprocessing.util.get_temp_dir(), ignore_errors=True)
    finally:
        os._exit(0)


def run(o):
    try:
        import torch  # noqa: F401
    except ImportError as e:
        raise Fault("%s has no PyTorch (%s): install it there (on a Jetson NVIDIA's build), or name another python under [torch] in config.toml" % (sys.executable, e))
    import loop
    loop.train(o)


def main():
    multiprocessing.util.get_temp_dir()  # made here, loaders take this one and leave none of their own behind
    signal.signal(signal.SIGTERM, stop)
    os.environ.setdefault("JTUNE_PROTOCOL", "1")
    try:
        run(settings())
        jtune.tell("done")
    except Fault as e:
        return failed(str(e))
    except RuntimeError as e:  # also torch's OutOfMemoryError
        if "killed by signal: Terminated" in str(e):  # a loader was told to stop before us
            return 0
        if "killed by signal: Killed" in str(e):
            return failed("a loader was killed, most likely out of memory, did not run (DNR): " + str(e))
        if "out of memory" in str(e).lower() or "can't allocate memory" in str(e).lower():
            return failed("out of memory, did not run (DNR): " + str(e))
        raise
    except MemoryError:
        return failed("out of memory, did not run (DNR)")
    return 0


def failed(message):
    jtune.tell("error", message=" ".join(message.split()))
    return 3


if __name__ == "__main__":
    sys.exit(main())
