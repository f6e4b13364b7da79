"""Runs programs with a library built with AddressSanitizer."""
import re
import subprocess
from pathlib import Path


def preload(sluice):
    """Returns the prefix of the program's name in `sluice run -- ...`. Only the program must preload AddressSanitizer,
    not the command that starts it. The library itself is preloaded too, because another build may have compiled the
    program. Empty if the library was built without AddressSanitizer."""
    library = Path(sluice).parent / "../lib/libcudart.so"
    found = re.search(r"libasan\S* => (\S+)", subprocess.run(["ldd", library], capture_output=True, text=True, check=False).stdout)
    return ["env", f"LD_PRELOAD={found[1]} {library.resolve()}", "ASAN_OPTIONS=detect_leaks=0"] if found else []
