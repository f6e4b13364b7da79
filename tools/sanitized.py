"""Programs with a library that was built for AddressSanitizer."""
import re
import subprocess
from pathlib import Path


def preload(sluice):
    """What stands before the program's name in `sluice run -- ...`: the program alone must load AddressSanitizer first, not the
    command that starts it. Then comes the library itself, since another build may have compiled the program. Nothing where
    the library has no AddressSanitizer in it."""
    library = Path(sluice).parent / "../lib/libcudart.so"
    found = re.search(r"libasan\S* => (\S+)", subprocess.run(["ldd", library], capture_output=True, text=True, check=False).stdout)
    return ["env", f"LD_PRELOAD={found[1]} {library.resolve()}", "ASAN_OPTIONS=detect_leaks=0"] if found else []
