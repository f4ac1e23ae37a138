"""The training loop: one minibatch after the other, timed.

The papers' intervals: fetch ends after the copy to the device, compute holds
zero_grad, forward, loss, backward and the step, the whole ends with a
synchronise; the next one begins when this one's numbers have been told. On
CUDA by events, on a CPU by the clock.
"""
import gc
import time

import torch
from torch.utils.data import DataLoader, Subset

import cache
import data
import nets
import system
import text
import yolo
from fault import Fault
from jtune import tell, turn, turns


class Net:
    """A network, what it takes and what it pays."""

    def __init__(self, name, title, make, loss, takes, size=0, channels=3, classes=1000):
        self.name, self.title, self.make, self.loss, self.takes = name, title, make, loss, takes
        self.size, self.channels, self.classes = size, channels, classes


NETS = {n.name: n for n in (
    Net("lenet5", "LeNet-5", nets.LeNet5, nets.classify_loss, "image", 28, 1, 10),
    Net("vgg11", "VGG-11", nets.VGG11, nets.classify_loss, "image", 224),
    Net("resnet18", "ResNet-18", nets.ResNet18, nets.classify_loss, "image", 224),
    Net("mobilenet", "MobileNet v3 large", nets.MobileNetV3, nets.classify_loss, "image", 224),
    Net("yolov8n", "YOLOv8n, simplified loss", yolo.YOLOv8n, yolo.detect_loss, "boxes", 640, 3, 80),
    Net("bert", "BERT base", text.BERT, text.span_loss, "span"),
    Net("lstm", "LSTM", text.LSTM, text.next_word_loss, "words"),
    Net("alexnet", "AlexNet", nets.AlexNet, None, "image", 224),
    Net("yolov4tiny", "YOLOv4-Tiny", yolo.YOLOv4Tiny, None, "boxes", 416, 3, 80),
    Net("berttiny", "BERT-Tiny", text.BERTTiny, None, "sentence"),
    Net("distilbert", "distilBERT", text.DistilBERT, None, "sentence"))}


WARM_UP = 20  # batches before those of a fixed number of requests


class Stopwatch:
    """Wall clock: times() gives ms from the start to each mark."""

    def start(self):
        self.at = [time.perf_counter()]

    def mark(self):
        self.at.append(time.perf_counter())

    def times(self):
        return [1e3 * (t - self.at[0]) for t in self.at[1:]]


class CudaStopwatch(Stopwatch):
    """The same by events on the GPU's own clock."""

    def start(self):
        self.at = []
        self.mark()

    def mark(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        self.at.append(event)

    def times(self):
        torch.cuda.synchronize()
        return [self.at[0].elapsed_time(e) for e in self.at[1:]]


class Trainer:
    def __init__(self, o, net, samples, device):
        self.o, self.net, self.device = o, net, device
        self.model = net.make().to(device).train(not o.infer)
        if o.half:
            self.model.half()
        if not o.infer:
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        loads = {"num_workers": o.workers, "pin_memory": device.type == "cuda", "collate_fn": data.collate, "shuffle": True}
        if o.workers:
            loads.update(prefetch_factor=o.prefetch or 2, worker_init_fn=system.loader_process)
        if o.requests:
            samples = Subset(samples, [i % len(samples) for i in range(o.requests)])
            loads["shuffle"] = False
        self.loader = DataLoader(samples, o.batch, **loads)
        self.watch = CudaStopwatch() if device.type == "cuda" else Stopwatch()
        self.left = o.minibatches or -1

    def step(self, x, y):
        if self.o.infer:
            with no_gradients():
                self.model(x)
            return
        self.optimizer.zero_grad()
        self.net.loss(self.model(x), y).backward()
        self.optimizer.step()

    def warm(self):
        """Answers batches that do not count."""
        for _ in range(-(-WARM_UP // len(self.loader))):
            self.epoch(0, WARM_UP, clean=False)
        tell("warm", n=WARM_UP)

    def epoch(self, epoch, most=0, clean=True):
        """Trains an epoch, or answers one; False when the number of minibatches is reached."""
        if not self.o.infer:
            tell("epoch_begin", epoch=epoch)
        sums, begin, batch = [0.0, 0.0], time.perf_counter(), 0
        self.watch.start()
        for x, y, prepared in self.loader:
            self.watch.mark()
            with turn("infer" if self.o.infer else "train") as n:
                if self.o.infer and turns() and n < len(x):
                    x, y = x[:n], y[:n]
                self.watch.mark()
                x, y = x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True)
                if self.o.half and x.is_floating_point():
                    x = x.half()
                self.watch.mark()
                launch = time.perf_counter()
                self.step(x, y)
                launch = 1e3 * (time.perf_counter() - launch)
                self.watch.mark()
                if self.device.type == "cuda":
                    torch.cuda.synchronize()
                self.watch.mark()
            waited, granted, fetched, computed, whole = self.watch.times()
            held = granted - waited  # by another job
            fetched, computed, whole = fetched - held, computed - held, whole - held
            stages = {"preprocess_ms": prepared}
            if self.device.type == "cuda":
                stages.update(copy_ms=fetched - waited, launch_ms=launch)
            kind = {"event": "infer", "n": len(x), "clean": clean} if self.o.infer else {"event": "minibatch"}
            tell(epoch=epoch, batch=batch, time_ms=whole, fetch_ms=fetched, compute_ms=computed - fetched, **dict(kind, **stages))
            sums, begin = [sums[0] + fetched, sums[1] + computed - fetched], begin + held / 1e3
            batch += 1
            if batch in (self.left, most):
                break
            self.watch.start()
        if clean:
            self.left -= batch
        whole = 1e3 * (time.perf_counter() - begin)
        if self.o.infer:
            return self.left != 0
        tell("epoch_end", epoch=epoch, time_ms=whole, fetch_ms=sums[0], compute_ms=sums[1], overhead_ms=max(0.0, whole - sum(sums)))
        return self.left != 0


def no_gradients():
    """Inference mode, which PyTorch 1.8 does not have yet."""
    return getattr(torch, "inference_mode", torch.no_grad)()


def train(o):
    if o.net not in NETS:
        raise Fault("unknown network %s; known: %s" % (o.net, " ".join(NETS)))
    if o.batch < 1 or o.workers < 0 or o.prefetch < 0 or o.epochs < 0 or o.minibatches < 0:
        raise Fault("batch must be positive; workers, prefetch, epochs and minibatches must not be negative")
    torch.manual_seed(o.seed)
    net = NETS[o.net]
    if net.loss is None and not o.infer:
        raise Fault("network %s answers only: it is run with --infer" % o.net)
    if o.no_gc:
        gc.collect()
        gc.disable()
    device = torch.device(o.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if o.half and device.type != "cuda":
        raise Fault("--half needs CUDA, this PyTorch runs on the CPU")
    samples = data.open_set(o.set, o.data, net)
    if len(samples) == 0:
        raise Fault("%s: the data set is empty" % o.data)
    hello(o, net, samples, device)
    trainer, epoch = Trainer(o, net, samples, device), 0
    if o.infer and o.requests:
        trainer.warm()
    while not o.epochs or epoch < o.epochs:
        cache.prepare(samples.files, o.cache, epoch)
        if not trainer.epoch(epoch):
            return
        epoch += 1


def hello(o, net, samples, device):
    title = o.set + (", synthetic" if o.data == "synthetic" else "")
    where = "" if o.data == "synthetic" else system.storage(o.data)
    kind = {"protocol": 2, "kind": "infer", "unit": "inference", "precision": "fp16" if o.half else "fp32"} if o.infer else {"protocol": 1}
    tell("hello", workload=system.workload(o.net), model=net.title, dataset=title, samples=len(samples), batch_size=o.batch,
         num_workers=o.workers, prefetch=o.prefetch if o.workers else 0, epochs=o.epochs, storage=where, os=system.kernel(),
         jetpack=system.jetpack(), cuda=torch.version.cuda or "none", framework="torch %s on %s" % (torch.__version__, device),
         reference_time=time.time(), **kind)
