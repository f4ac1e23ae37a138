"""Images: MNIST and CIFAR-10 as they are published, folders of pictures."""
import gzip
import io
import os
import pickle
import time

import torch
from torch.nn import functional as F
from torch.utils.data import Dataset

from fault import Fault

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
MEAN = torch.tensor((0.485, 0.456, 0.406)).view(3, 1, 1)
SPREAD = torch.tensor((0.229, 0.224, 0.225)).view(3, 1, 1)


def scaled(pixels):
    return pixels.float().div_(255)


def normal(pixels):
    """uint8 pixels to numbers around 0."""
    x = scaled(pixels)
    return x.sub_(MEAN).div_(SPREAD) if len(x) == 3 else x.sub_(0.1307).div_(0.3081)


def fit(pixels, net):
    """Pixels in the channels and the size that a network takes."""
    if len(pixels) != net.channels:
        pixels = pixels.expand(3, -1, -1) if net.channels == 3 else pixels.float().mean(0, keepdim=True).to(torch.uint8)
    if pixels.shape[1:] != (net.size, net.size):
        pixels = F.interpolate(pixels[None].float(), size=(net.size, net.size), mode="bilinear", align_corners=False)[0]
    return pixels


def tensor_of(data, shape):
    if hasattr(torch, "frombuffer"):
        return torch.frombuffer(bytearray(data), dtype=torch.uint8).reshape(shape)
    import numpy
    return torch.from_numpy(numpy.frombuffer(data, numpy.uint8).copy()).reshape(shape)


def open_images(name, folder, net):
    if name == "mnist":
        return Packed(*mnist(folder), net)
    if name == "cifar10" and find(folder, CIFAR):
        return Packed(*cifar(folder), net)
    return Pictures(folder, net)


class Packed(Dataset):
    """A set that lies in memory whole."""

    def __init__(self, pixels, labels, files, net):
        self.pixels, self.labels, self.files, self.net = pixels, labels, files, net

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return normal(fit(self.pixels[i], self.net)), int(self.labels[i]) % self.net.classes


def find(folder, names):
    """The first folder at or below folder that holds one of the names."""
    for at, _, files in os.walk(folder):
        if any(n in files for n in names):
            return at
    return None


MNIST = "train-images-idx3-ubyte"


def mnist(folder):
    at = find(folder, (MNIST, MNIST + ".gz"))
    if at is None:
        raise Fault("%s: no MNIST here: want %s and train-labels-idx1-ubyte, gzipped or not" % (folder, MNIST))
    pixels, one = idx(at, MNIST, 16)
    labels, two = idx(at, "train-labels-idx1-ubyte", 8)
    if len(pixels) != len(labels) * 784:
        raise Fault("%s: MNIST's images and labels differ in number: a file is cut short" % at)
    return tensor_of(pixels, (-1, 1, 28, 28)), tensor_of(labels, (-1,)), [one, two]


def idx(at, name, head):
    path = os.path.join(at, name)
    if not os.path.exists(path):
        path += ".gz"
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
            return f.read()[head:], path
    except (OSError, EOFError) as e:
        raise Fault("%s: %s" % (path, e))


CIFAR = ("data_batch_1", "data_batch_1.bin")


def cifar(folder):
    at = find(folder, CIFAR)
    pixels, labels, files = [], [], []
    for n in range(1, 6):
        path = os.path.join(at, "data_batch_%d" % n)
        path = path if os.path.exists(path) else path + ".bin"
        try:
            with open(path, "rb") as f:
                data = f.read()
        except OSError as e:
            raise Fault("CIFAR-10: %s" % e)
        if path.endswith(".bin"):
            rows = tensor_of(data, (-1, 3073))
            pixels.append(rows[:, 1:])
            labels.append(rows[:, 0])
        else:
            batch = Unpickler(io.BytesIO(data), encoding="bytes").load()
            pixels.append(torch.from_numpy(batch[b"data"]))
            labels.append(torch.tensor(batch[b"labels"]))
        files.append(path)
    return torch.cat(pixels).reshape(-1, 3, 32, 32), torch.cat(labels), files


class Unpickler(pickle.Unpickler):
    """Loads arrays alone: a pickle may otherwise run anything."""

    def find_class(self, module, name):
        array = module.split(".")[0] == "numpy" and name in ("_reconstruct", "ndarray", "dtype")
        if array or (module, name) == ("_codecs", "encode"):
            return super().find_class(module, name)
        raise Fault("a CIFAR-10 file holds %s.%s, not just arrays: not read" % (module, name))


def pictures(folder):
    found = []
    for at, _, files in os.walk(folder, followlinks=True):
        found += [os.path.join(at, f) for f in files if f.lower().endswith(PICTURES)]
    if not found:
        raise Fault("%s: no pictures (%s) here or below" % (folder, " ".join(PICTURES)))
    return sorted(found)


class Pictures(Dataset):
    """A folder of pictures. The folder right above one is its class; where all
    lie in one folder the class is made up, which changes no time."""

    def __init__(self, folder, net):
        self.files, self.net = pictures(folder), net
        need_decoder()
        kinds = sorted({os.path.dirname(f) for f in self.files})
        self.kinds = {k: i for i, k in enumerate(kinds)} if len(kinds) > 1 else None

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        path = self.files[i]
        label = self.kinds[os.path.dirname(path)] if self.kinds else i
        pixels = cut(decode(path), self.net.size)
        return normal(fit(pixels, self.net)), label % self.net.classes


def need_decoder():
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise Fault("pictures need Pillow to be decoded: install python3-pil, or use synthetic data")


reading = 0.0  # seconds of reading files for the sample being made


def read(path):
    global reading
    begin = time.perf_counter()
    with open(path, "rb") as f:
        data = f.read()
    reading += time.perf_counter() - begin
    return data


def decode(path):
    from PIL import Image
    try:
        with Image.open(io.BytesIO(read(path))) as im:
            im = im.convert("RGB")
            return tensor_of(im.tobytes(), (im.height, im.width, 3)).permute(2, 0, 1)
    except (OSError, ValueError) as e:
        raise Fault("%s: %s" % (path, e))


def cut(pixels, size):
    """The shorter side to 8/7 of size, then a random square, at random mirrored."""
    scale = size * 8 / 7 / min(pixels.shape[1:])
    h, w = (max(size, int(round(s * scale))) for s in pixels.shape[1:])
    pixels = F.interpolate(pixels[None].float(), size=(h, w), mode="bilinear", align_corners=False)[0]
    y, x = int(torch.randint(h - size + 1, ())), int(torch.randint(w - size + 1, ()))
    pixels = pixels[:, y:y + size, x:x + size]
    return pixels.flip(2) if torch.rand(()) < 0.5 else pixels


class Boxes(Dataset):
    """Pictures with labels as text beside them: a line "class x y w h" per
    object in labels/NAME.txt for images/NAME.jpg, or NAME.txt beside it."""

    def __init__(self, folder, net):
        self.files, self.net = pictures(folder), net
        need_decoder()

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        pixels = decode(self.files[i])
        size, (h, w) = self.net.size, pixels.shape[1:]
        scale = size / max(h, w)
        nh, nw = max(1, int(h * scale)), max(1, int(w * scale))
        out = torch.full((3, size, size), 114.0)
        top, left = (size - nh) // 2, (size - nw) // 2
        out[:, top:top + nh, left:left + nw] = F.interpolate(pixels[None].float(), size=(nh, nw), mode="bilinear", align_corners=False)[0]
        rows = read_labels(self.files[i])
        for col, (shift, part) in ((2, (left, nw)), (3, (top, nh))):
            rows[:, col] = (rows[:, col] * part + shift) / size
            rows[:, col + 2] = rows[:, col + 2] * part / size
        return scaled(out), rows


def read_labels(picture):
    """Rows of 0, class, x, y, w, h; none where there is no label file."""
    path = os.path.splitext(picture.replace(os.sep + "images" + os.sep, os.sep + "labels" + os.sep))[0] + ".txt"
    rows = []
    try:
        with open(path) as f:
            for line in f:
                parts = line.split()
                if len(parts) >= 5:
                    rows.append([0.0] + [float(p) for p in parts[:5]])
    except FileNotFoundError:
        pass
    except ValueError as e:
        raise Fault("%s: %s" % (path, e))
    return torch.tensor(rows).reshape(-1, 6)
