"""YOLOv8n's network, with a loss that is simpler than the published one.

The layers, widths and 3.15 million parameters are the published ones. The
loss is not: each box is given to the one cell of its middle on the level of
its size and pays cross-entropy on the four edge distributions; classes pay
binary cross-entropy everywhere. The published training assigns several cells
per box by its own predictions and adds an overlap term. The network, which is
nearly all of the work of a step, is the same; the accuracy of what is learnt
is not.
"""
import torch
from torch import nn
from torch.nn import functional as F

BINS = 16  # of an edge's distance distribution
STRIDES = (8, 16, 32)
SIZES = (0, 64, 128, 1 << 30)  # pixels of the longer side from which a level takes a box


class Conv(nn.Sequential):
    def __init__(self, wide, out, kernel=1, stride=1):
        super().__init__(nn.Conv2d(wide, out, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(out, 0.001, 0.03), nn.SiLU(inplace=True))


class Bottleneck(nn.Module):
    def __init__(self, wide, adds):
        super().__init__()
        self.body, self.adds = nn.Sequential(Conv(wide, wide, 3), Conv(wide, wide, 3)), adds

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class C2f(nn.Module):
    """Splits the channels, passes one part through n bottlenecks, joins all."""

    def __init__(self, wide, out, n, adds=False):
        super().__init__()
        self.half = out // 2
        self.enter, self.leave = Conv(wide, out), Conv((2 + n) * self.half, out)
        self.steps = nn.ModuleList(Bottleneck(self.half, adds) for _ in range(n))

    def forward(self, x):
        parts = list(self.enter(x).split(self.half, 1))
        for step in self.steps:
            parts.append(step(parts[-1]))
        return self.leave(torch.cat(parts, 1))


class SPPF(nn.Module):
    """Pools over growing neighbourhoods."""

    def __init__(self, wide):
        super().__init__()
        self.enter, self.leave, self.pool = Conv(wide, wide // 2), Conv(wide * 2, wide), nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        parts = [self.enter(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.leave(torch.cat(parts, 1))


class YOLOv8n(nn.Module):
    """Gives, per level, distances (4 x BINS channels) and classes."""

    def __init__(self, classes=80):
        super().__init__()
        self.classes = classes
        self.low = nn.Sequential(Conv(3, 16, 3, 2), Conv(16, 32, 3, 2), C2f(32, 32, 1, True), Conv(32, 64, 3, 2), C2f(64, 64, 2, True))
        self.mid = nn.Sequential(Conv(64, 128, 3, 2), C2f(128, 128, 2, True))
        self.top = nn.Sequential(Conv(128, 256, 3, 2), C2f(256, 256, 1, True), SPPF(256))
        self.up_mid, self.up_low = C2f(384, 128, 1), C2f(192, 64, 1)
        self.down_low, self.out_mid = Conv(64, 64, 3, 2), C2f(192, 128, 1)
        self.down_mid, self.out_top = Conv(128, 128, 3, 2), C2f(384, 256, 1)
        self.box = nn.ModuleList(self.branch(c, 64, 4 * BINS) for c in (64, 128, 256))
        self.kind = nn.ModuleList(self.branch(c, 80, classes) for c in (64, 128, 256))

    @staticmethod
    def branch(wide, inner, out):
        return nn.Sequential(Conv(wide, inner, 3), Conv(inner, inner, 3), nn.Conv2d(inner, out, 1))

    def forward(self, x):
        low = self.low(x)
        mid = self.mid(low)
        top = self.top(mid)
        up = self.up_mid(torch.cat((F.interpolate(top, scale_factor=2.0), mid), 1))
        a = self.up_low(torch.cat((F.interpolate(up, scale_factor=2.0), low), 1))
        b = self.out_mid(torch.cat((self.down_low(a), up), 1))
        c = self.out_top(torch.cat((self.down_mid(b), top), 1))
        return [(box(level), kind(level)) for box, kind, level in zip(self.box, self.kind, (a, b, c))]


class Leaky(nn.Sequential):
    def __init__(self, wide, out, kernel=1, stride=1):
        super().__init__(nn.Conv2d(wide, out, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(out), nn.LeakyReLU(0.1, inplace=True))


class Stage(nn.Module):
    """A stage of YOLOv4-Tiny: half of the channels pass two more convolutions; doubles them and halves the size."""

    def __init__(self, wide):
        super().__init__()
        half = wide // 2
        self.enter, self.one, self.two, self.leave = Leaky(wide, wide, 3), Leaky(half, half, 3), Leaky(half, half, 3), Leaky(wide, wide)

    def forward(self, x):
        x = self.enter(x)
        one = self.one(x[:, x.shape[1] // 2:])
        out = self.leave(torch.cat((self.two(one), one), 1))
        return F.max_pool2d(torch.cat((x, out), 1), 2), out


class YOLOv4Tiny(nn.Module):
    """YOLOv4-Tiny with two heads for 416x416 images: 6.06 million parameters with 80 classes."""

    def __init__(self, classes=80):
        super().__init__()
        out = 3 * (5 + classes)
        self.enter = nn.Sequential(Leaky(3, 32, 3, 2), Leaky(32, 64, 3, 2))
        self.one, self.two, self.three = Stage(64), Stage(128), Stage(256)
        self.top, self.neck = Leaky(512, 512, 3), Leaky(512, 256)
        self.large = nn.Sequential(Leaky(256, 512, 3), nn.Conv2d(512, out, 1))
        self.up, self.small = Leaky(256, 128), nn.Sequential(Leaky(384, 256, 3), nn.Conv2d(256, out, 1))

    def forward(self, x):
        x = self.two(self.one(self.enter(x))[0])[0]
        x, mid = self.three(x)
        x = self.neck(self.top(x))
        up = F.interpolate(self.up(x), scale_factor=2.0)
        return [self.large(x), self.small(torch.cat((up, mid), 1))]


def detect_loss(out, target):
    """target: rows of image number, class, middle x, y, width, height (0..1).

    Rows with a negative image number fill the table up and mean nothing.
    """
    target = target[target[:, 0] >= 0]
    total = out[0][0].sum() * 0
    for level, (box, kind) in enumerate(out):
        stride, h, w = STRIDES[level], box.shape[2], box.shape[3]
        want = torch.zeros_like(kind)
        size = target[:, 4:6].max(1)[0] * max(h, w) * stride
        mine = target[(size >= SIZES[level]) & (size < SIZES[level + 1])]
        if len(mine):
            image, label = mine[:, 0].long(), mine[:, 1].long().clamp(0, kind.shape[1] - 1)
            x, y = mine[:, 2] * w, mine[:, 3] * h
            col, row = x.long().clamp(0, w - 1), y.long().clamp(0, h - 1)
            want[image, label, row, col] = 1
            half_w, half_h = mine[:, 4] * w / 2, mine[:, 5] * h / 2
            mx, my = col + 0.5, row + 0.5
            edges = torch.stack((mx - x + half_w, my - y + half_h, x + half_w - mx, y + half_h - my), 1).clamp(0, BINS - 1.01)
            logits = box[image, :, row, col].reshape(-1, BINS)
            total = total + F.cross_entropy(logits, edges.reshape(-1).round().long())
        total = total + F.binary_cross_entropy_with_logits(kind, want)
    return total
