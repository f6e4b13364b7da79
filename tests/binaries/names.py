#!/usr/bin/env python3
"""Checks that the runtime's library exports every function that the headers of an installed CUDA 13 declare.

The functions of the runtime API have the symbol version that programs of CUDA 13 ask for. Those of programs with
per-thread default streams (NAME_ptsz, NAME_ptds) are included. Without these headers the test is skipped.

names.py LIBRARY
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"


def include_folder():
    """Returns the folder of the toolkit's headers: that of $CUDA_HOME, of nvcc, or the usual one; None: no toolkit."""
    nvcc = shutil.which("nvcc")
    homes = [os.environ.get("CUDA_HOME"), nvcc and pathlib.Path(nvcc).resolve().parents[1], "/usr/local/cuda"]
    for home in filter(None, homes):
        folder = pathlib.Path(home) / "include"
        if (folder / "cuda_runtime_api.h").exists() and (folder / "cuda.h").exists():
            return folder
    return None


def declared(folder, header, pattern):
    names = set()
    for flags in ([], [PER_THREAD]):
        command = ["g++", "-x", "c++", "-E", "-P", *flags, "-I", folder, "-include", header, "/dev/null"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names |= set(re.findall(pattern, text))
    return names


def toolkit_version(folder):
    match = re.search(r"#define\s+CUDART_VERSION\s+(\d+)", (folder / "cuda_runtime_api.h").read_text(errors="replace"))
    return int(match.group(1)) // 1000 if match else 0


def exported(library):
    """Returns {(name, version)} of the library's functions."""
    text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TW] (\w+)@+(\S+)", text))


def main():
    folder = include_folder()
    if not folder or not shutil.which("g++") or toolkit_version(folder) != 13:
        print("skipped: no headers of CUDA 13")
        sys.exit(SKIPPED)
    symbols = exported(sys.argv[1])
    runtime = declared(folder, "cuda_runtime_api.h", r"\b(cuda[A-Z]\w*)\s*\(")
    driver = declared(folder, "cuda.h", r"\b(cu[A-Z]\w*)\s*\(")
    if len(runtime) < 300 or len(driver) < 440:
        sys.exit(f"found only {len(runtime)} and {len(driver)} functions in {folder}")
    of_driver = {name for name, _ in symbols}
    missing = [name for name in sorted(runtime) if (name, "libcudart.so.13") not in symbols]
    missing += [name for name in sorted(driver) if name not in of_driver]
    if missing:
        sys.exit(f"not exported: {' '.join(missing)}")
    print(f"{len(runtime)} functions of the runtime API, {len(driver)} of the driver API")


if __name__ == "__main__":
    main()
