#!/usr/bin/env python3
"""Checks that macros of users, such as -DN=256, do not break our headers: user_macros.py SLUICE INCLUDE.

All headers are compiled for the device, for the host and as plain C++. Every name in sluice/macros_off.h (all single
letters and common words) is defined as an invalid token. After the headers the macros are defined again.
"""
import glob
import os
import re
import string
import subprocess
import sys
import tempfile

sluice, include = sys.argv[1:]
names = re.findall(r"^#undef (\w+)$", open(include + "/sluice/macros_off.h").read(), re.M)
given_back = re.findall(r'^#pragma pop_macro\("(\w+)"\)$', open(include + "/sluice/macros_on.h").read(), re.M)
assert names == given_back, "the two lists differ"
missing = set(string.ascii_letters) - set(names)
assert not missing, f"single letters that are not in the list: {sorted(missing)}"

headers = [os.path.relpath(path, include) for folder in ("", "cooperative_groups/", "nvtx3/") for path in
           sorted(glob.glob(f"{include}/{folder}*.h"))] + ["sluice/dma.h", "sluice/cta_tracker.h"]
old = {"cublas.h", "cudalibxt.h"}  # these exclude the new headers
failed = False
with tempfile.TemporaryDirectory() as work:
    for title, chosen, suffix in (("all", [h for h in headers if h not in old], ".cu"), ("cublas.h", ["cublas.h"], ".cu"),
                                  ("the host's", ["cuda_runtime.h", "cuda.h", "cuda_fp16.h", "cuda_bf16.h", "cufft.h",
                                                  "curand.h", "cublas_v2.h", "nvrtc.h", "cuComplex.h"], ".cpp")):
        source = work + "/source" + suffix
        with open(source, "w") as file:
            file.writelines(f"#include <{header}>\n" for header in chosen)
            file.writelines(f"#ifndef {name}\n#error the macro {name} is gone\n#endif\n" for name in names)
        result = subprocess.run([sluice, "cc", "-std=c++17", "-fsyntax-only", *(f"-D{name}=@" for name in names), source],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode:
            failed = True
            print(f"FAILED: {title} headers with macros:\n" + "\n".join(result.stdout.splitlines()[:20]))
sys.exit(failed)
