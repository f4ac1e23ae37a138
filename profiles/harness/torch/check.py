"""Prints the versions of what a training script needs, as one JSON object."""
import json
import platform
import sys

found = {"python": platform.python_version(), "executable": sys.executable}
for name in ("torch", "torchvision", "numpy", "PIL"):
    try:
        found[name] = getattr(__import__(name), "__version__", "?")
    except Exception as e:  # a package may fail in any way when it is imported
        found[name + "_why"] = " ".join(str(e).split())[:200]
if "torch" in found:
    torch = sys.modules["torch"]
    found["cuda"] = torch.version.cuda or ""
    found["gpu"] = torch.cuda.get_device_name(0) if torch.cuda.is_available() else ""
print(json.dumps(found))
