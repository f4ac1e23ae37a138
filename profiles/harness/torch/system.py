"""What the results depend on besides the network: versions and storage."""
import os
import platform
import signal


def workload(fallback):
    return os.environ.get("JTUNE_WORKLOAD", fallback)


def kernel():
    return "%s %s, Python %s" % (platform.system(), platform.release(), platform.python_version())


def jetpack():
    """The L4T release's line, empty elsewhere."""
    try:
        with open("/etc/nv_tegra_release") as f:
            return f.readline().strip("# \n")
    except OSError:
        return ""


def storage(path):
    """The block device that holds a path, by number where it has no name."""
    try:
        dev = os.stat(path).st_dev
        number = "%d:%d" % (os.major(dev), os.minor(dev))
        return os.path.basename(os.path.realpath("/sys/dev/block/" + number))
    except OSError:
        return ""


def loader_process(_):
    """A loader ends at SIGTERM by itself, not through the trainer's handler."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
