"""The convolutional classifiers of the papers, in plain torch.

Shapes and numbers of parameters are those of the published networks
(torchvision's, where it has them); params() of each stands beside it.
"""
import torch
from torch import nn
from torch.nn import functional as F


class LeNet5(nn.Module):
    """LeNet-5 for 28x28 grey images: 61,706 parameters."""

    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2),
                                      nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2))
        self.head = nn.Sequential(nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, classes))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class AlexNet(nn.Module):
    """AlexNet of one column: 61,100,840 parameters with 1000 classes."""

    def __init__(self, classes=1000):
        super().__init__()
        layers = []
        for wide, out, kernel, stride, pool in ((3, 64, 11, 4, 1), (64, 192, 5, 1, 1), (192, 384, 3, 1, 0), (384, 256, 3, 1, 0), (256, 256, 3, 1, 1)):
            layers += [nn.Conv2d(wide, out, kernel, stride, 2 if kernel > 3 else 1), nn.ReLU(inplace=True)]
            layers += [nn.MaxPool2d(3, 2)] if pool else []
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(6))
        self.head = nn.Sequential(nn.Dropout(), nn.Linear(256 * 36, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, 4096),
                                  nn.ReLU(inplace=True), nn.Linear(4096, classes))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class VGG11(nn.Module):
    """VGG-11 without batch norm: 132,863,336 parameters with 1000 classes."""

    def __init__(self, classes=1000):
        super().__init__()
        layers, wide = [], 3
        for out in (64, "pool", 128, "pool", 256, 256, "pool", 512, 512, "pool", 512, 512, "pool"):
            if out == "pool":
                layers.append(nn.MaxPool2d(2))
            else:
                layers += [nn.Conv2d(wide, out, 3, padding=1), nn.ReLU(inplace=True)]
                wide = out
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(7))
        self.head = nn.Sequential(nn.Linear(512 * 49, 4096), nn.ReLU(inplace=True), nn.Dropout(),
                                  nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(4096, classes))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class BasicBlock(nn.Module):
    """Two 3x3 convolutions with a way around them."""

    def __init__(self, wide, out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(wide, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True),
            nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        self.around = nn.Sequential()
        if stride != 1 or wide != out:
            self.around = nn.Sequential(nn.Conv2d(wide, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.body(x) + self.around(x), inplace=True)


class ResNet18(nn.Module):
    """ResNet-18: 11,689,512 parameters with 1000 classes."""

    def __init__(self, classes=1000):
        super().__init__()
        layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
        wide = 64
        for out, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers += [BasicBlock(wide, out, stride), BasicBlock(out, out, 1)]
            wide = out
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))
        self.head = nn.Linear(512, classes)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class Squeeze(nn.Module):
    """Squeeze-and-excitation with a hard sigmoid."""

    def __init__(self, wide):
        super().__init__()
        inner = divisible(wide / 4)
        self.body = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, inner, 1), nn.ReLU(inplace=True),
                                  nn.Conv2d(inner, wide, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.body(x)


def divisible(v):
    """The multiple of 8 nearest to v, never a tenth below it."""
    near = max(8, int(v + 4) // 8 * 8)
    return near + 8 if near < 0.9 * v else near


def mobile_conv(wide, out, kernel=1, stride=1, groups=1, act=None):
    layers = [nn.Conv2d(wide, out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(out, 0.001, 0.01)]
    return layers + ([act()] if act else [])


class Inverted(nn.Module):
    """MobileNet's inverted residual: widen, filter each channel, narrow."""

    def __init__(self, wide, kernel, inner, out, squeeze, act, stride):
        super().__init__()
        layers = mobile_conv(wide, inner, act=act) if inner != wide else []
        layers += mobile_conv(inner, inner, kernel, stride, inner, act)
        layers += [Squeeze(inner)] if squeeze else []
        self.body = nn.Sequential(*(layers + mobile_conv(inner, out)))
        self.adds = stride == 1 and wide == out

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


class MobileNetV3(nn.Module):
    """MobileNet v3 large: 5,483,032 parameters with 1000 classes."""

    # kernel, inner, out, squeeze, hard swish, stride
    BLOCKS = ((3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1),
              (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
              (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1))

    def __init__(self, classes=1000):
        super().__init__()
        layers, wide = mobile_conv(3, 16, 3, 2, act=nn.Hardswish), 16
        for kernel, inner, out, squeeze, hard, stride in self.BLOCKS:
            layers.append(Inverted(wide, kernel, inner, out, squeeze, nn.Hardswish if hard else nn.ReLU, stride))
            wide = out
        layers += mobile_conv(160, 960, act=nn.Hardswish)
        self.features = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1))
        self.head = nn.Sequential(nn.Linear(960, 1280), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(1280, classes))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def classify_loss(out, target):
    return F.cross_entropy(out, target)


def params(net):
    """How many numbers of the network are trained."""
    return sum(p.numel() for p in net.parameters())
