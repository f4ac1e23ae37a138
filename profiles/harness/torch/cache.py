"""The data set's files in the kernel's page cache: read in or thrown out."""
import os
import time

from jtune import tell

EVERY_S = 5  # between two signs of life


def prepare(files, how, epoch):
    """how: "preload", "drop", "drop-once" (before epoch 0) or "" for nothing. Needs no rights."""
    if not how or not files or how == "drop-once" and epoch > 0:
        return
    told = time.monotonic()
    for n, path in enumerate(files):
        with open(path, "rb") as f:
            if how == "preload":
                while f.read(1 << 20):
                    pass
            else:
                os.fdatasync(f.fileno())  # only pages that are on the disk can go
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if time.monotonic() - told > EVERY_S:
            told = time.monotonic()
            tell("cache", when=how, done=n + 1, files=len(files))
    tell("cache", when=how, done=len(files), files=len(files))
