"""The papers' data sets, from a folder or made up in the same shapes.

A sample is made ready for one network: the image nets say the size and number
of channels that they take, so that any of them trains on any image set.
"""
import os
import time

import torch
from torch.utils.data import Dataset

import images
import text
import words
from fault import Fault

# name: samples per epoch, classes, what a sample is
SETS = {
    "mnist": (60000, 10, "image"),
    "cifar10": (50000, 10, "image"),
    "imagenet-val": (50000, 1000, "image"),
    "gld23k": (23080, 203, "image"),
    "coco": (25000, 80, "boxes"),
    "squad": (70000, 0, "span"),
    "wikitext": (36000, 0, "words"),
    "sentences": (70000, 0, "sentence"),  # made up: no folder holds them
}


def open_set(name, folder, net):
    """The data set for a network; folder "synthetic" makes it up."""
    if name not in SETS:
        raise Fault("unknown data set %s; known: %s" % (name, " ".join(sorted(SETS))))
    samples, classes, kind = SETS[name]
    if kind != net.takes:
        raise Fault("%s holds samples of the kind %s, network %s takes %s" % (name, kind, net.name, net.takes))
    if folder == "synthetic" or kind == "sentence":
        return Timed(MADE[kind](samples, classes, net))
    if not os.path.isdir(folder):
        raise Fault("data folder %s: no such folder" % folder)
    folder = below(folder, name)
    if kind == "image":
        return Timed(images.open_images(name, folder, net))
    if kind == "boxes":
        return Timed(images.Boxes(folder, net))
    return Timed(words.Spans(folder) if kind == "span" else words.Words(folder))


def below(folder, name):
    """The folder of that data set, if the folder given holds several."""
    inner = os.path.join(folder, name)
    return inner if os.path.isdir(inner) else folder


def noise(index, low, high, shape, dtype=torch.uint8):
    """Numbers that depend on the sample's index alone."""
    return torch.randint(low, high, shape, dtype=dtype, generator=torch.Generator().manual_seed(index))


class Made(Dataset):
    """Made-up samples: right in shape and number, without any file."""

    files = ()

    def __init__(self, samples, classes, net):
        self.samples, self.classes, self.net = samples, classes, net

    def __len__(self):
        return self.samples


class MadeImages(Made):
    def __getitem__(self, i):
        pixels = noise(i, 0, 256, (self.net.channels, self.net.size, self.net.size))
        return images.normal(pixels), i % min(self.classes, self.net.classes)


class MadeBoxes(Made):
    """Seven boxes in an image, COCO's mean."""

    def __getitem__(self, i):
        pixels = noise(i, 0, 256, (3, self.net.size, self.net.size))
        rows = noise(i, 100, 900, (7, 6), torch.int64).float() / 1000
        rows[:, 0], rows[:, 1], rows[:, 4:] = 0, (rows[:, 1] * 80).long().float(), rows[:, 4:] / 4
        return images.scaled(pixels), rows


class MadeSpans(Made):
    def __getitem__(self, i):
        return words.span_sample(noise(i, 1000, 30000, (words.BERT_TOKENS - 12,), torch.int64), 12, 40, 44)


class MadeSentences(Made):
    def __getitem__(self, i):
        tokens = noise(i, 1000, 30000, (text.SENTENCE_TOKENS,), torch.int64)
        return torch.stack((tokens, torch.zeros_like(tokens))), 0


class MadeWords(Made):
    def __getitem__(self, i):
        return words.word_sample(noise(i, 0, words.LSTM_VOCABULARY, (words.LSTM_TOKENS + 1,), torch.int64))


MADE = {"image": MadeImages, "boxes": MadeBoxes, "span": MadeSpans, "words": MadeWords, "sentence": MadeSentences}


class Timed(Dataset):
    """A set that gives with each sample the seconds of making it ready, without those of reading its file."""

    def __init__(self, samples):
        self.samples, self.files = samples, samples.files

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        images.reading, begin = 0.0, time.perf_counter()
        sample = self.samples[i]
        return sample, time.perf_counter() - begin - images.reading


def collate(batch):
    """A minibatch of timed samples, and the milliseconds of its pre-processing."""
    begin = time.perf_counter()
    x, y = stacked([sample for sample, _ in batch])
    return x, y, 1e3 * (sum(s for _, s in batch) + time.perf_counter() - begin)


def stacked(batch):
    """Stacks samples; rows of boxes get the number of their image."""
    x = torch.stack([b[0] for b in batch])
    if torch.is_tensor(batch[0][1]) and batch[0][1].dim() == 2:
        rows = [torch.cat((torch.full((len(b[1]), 1), float(i)), b[1][:, 1:]), 1) for i, b in enumerate(batch)]
        return x, torch.cat(rows)
    if torch.is_tensor(batch[0][1]):
        return x, torch.stack([b[1] for b in batch])
    return x, torch.tensor([b[1] for b in batch])
