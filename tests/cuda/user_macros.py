#!/usr/bin/env python3
"""Checks that macros of users, such as -DN=256, do not break our headers: user_macros.py SLUICE INCLUDE.

All headers are compiled for the device, for the host and as plain C++. Every name in sluice/macros_off.h (all single
letters and more than 100 common words) is defined as an invalid token. After the headers the macros are defined again.

Any of these headers may be a user's first one: each that declares something hides the macros first and restores them last.
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
assert len(set(names)) == len(names) >= len(string.ascii_letters) + 100, "a name twice, or fewer than 100 words"

headers = [os.path.relpath(path, include) for folder in ("", "cooperative_groups/", "nvtx3/") for path in
           sorted(glob.glob(f"{include}/{folder}*.h"))] + ["sluice/dma.h", "sluice/cta_tracker.h"]
old = {"cublas.h", "cudalibxt.h"}  # these exclude the new headers


def fault(header):
    """What a header does wrong with the macros; None: nothing."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", open(f"{include}/{header}").read(), flags=re.S)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if all(line.startswith("#") for line in lines) and not any("macros_o" in line for line in lines):
        return None  # it only includes other headers
    hidden = [i for i, line in enumerate(lines) if re.match(r'#include "\S*\bmacros_off\.h"$', line)]
    restored = [i for i, line in enumerate(lines) if re.match(r'#include "\S*\bmacros_on\.h"$', line)]
    if len(hidden) != 1 or len(restored) != 1:
        return f"it hides the macros {len(hidden)} times and restores them {len(restored)} times"
    before, after = lines[: hidden[0]], lines[restored[0] + 1 :]
    if wrong := [line for line in before if not re.match(r"#(ifndef|define) \w+$|#pragma once$|#if |#error |#endif$", line)]:
        return f"before it hides the macros: {wrong[0]}"
    return f"after it restores the macros: {after[0]}" if any(line != "#endif" for line in after) else None


others = [f"sluice/{name}" for name in ("trace.h", "sdk/arguments.h", "sdk/clock.h", "sdk/files.h")]
faults = {header: fault(header) for header in headers + others}
failed = any(faults.values())
print("".join(f"FAILED: {header}: {what}\n" for header, what in faults.items() if what), end="")
with tempfile.TemporaryDirectory() as work:
    for title, chosen, suffix in (("all", [h for h in headers if h not in old], ".cu"), ("cublas.h", ["cublas.h"], ".cu"),
                                  ("the host's", ["cuda_runtime.h", "cuda.h", "cuda_fp16.h", "cuda_bf16.h", "cufft.h",
                                                  "curand.h", "cublas_v2.h", "nvrtc.h", "cuComplex.h", *others], ".cpp")):
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
