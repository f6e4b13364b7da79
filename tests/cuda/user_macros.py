#!/usr/bin/env python3
"""Checks that macros of users, such as -DN=256, do not break our headers: user_macros.py SLUICE INCLUDE [--write].

sluice/macros_off.h must list all single letters, common words, and every name in our headers that a user's macro could
replace: parameters, variables, members and functions that are neither reserved nor names of CUDA's. All listed names
are then defined as an invalid token, and all headers are compiled for the device, for the host and as plain C++. After
the headers the macros are defined again. --write adds missing names to macros_off.h and macros_on.h.

Any of these headers may be a user's first one: each that declares something hides the macros first and restores them last.
"""
import glob
import os
import re
import string
import subprocess
import sys
import tempfile

sluice, include = sys.argv[1:3]
OFF = f"{include}/sluice/macros_off.h"
ON = f"{include}/sluice/macros_on.h"
# A macro with a name of CUDA's replaces the user's own calls as well, so no header can help.
OF_CUDA = re.compile(r"(cu|CU|nv[a-z]|tex[\dA-Z]|surf|make_|sluice|dma_)|\w*[a-z0-9][A-Z]|(char|short|int|long|float|double"
                     r"|uchar|ushort|uint|ulong|dim|longlong|ulonglong)\d|(CUDA|SLUICE|NVTX|NVML|NVRTC|CURAND|CUBLAS|CUFFT|DMA|LIB|THRUST|sdk)_")
OF_C = {"EOF", "FILE", "INT_MAX", "INT_MIN", "NULL", "UINT_MAX"}  # macros, of which C's own headers define most
KEYWORDS = set("""alignas alignof and asm auto bool break case catch char class const const_cast constexpr continue decltype
default delete do double else enum explicit extern false final float for friend goto if inline int int8_t int16_t int32_t
int64_t intptr_t long namespace new noexcept nullptr nullptr_t operator or override private protected ptrdiff_t public
register reinterpret_cast return short signed size_t sizeof static static_assert static_cast std struct switch template
this thread_local throw true try typedef typeid typename uint8_t uint16_t uint32_t uint64_t uintptr_t union unsigned
using virtual void volatile wchar_t while and_eq bitand bitor compl not not_eq or_eq xor xor_eq""".split())


def without_text(source):
    """The source without comments, strings, and directives other than #define."""
    source = re.sub(r"\\\n", " ", source)
    source = re.sub(r"/\*.*?\*/|//[^\n]*", " ", source, flags=re.S)
    source = re.sub(r"^\s*#(?!\s*define\b).*$", " ", source, flags=re.M)
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', " ", source)


def names_of(files):
    """The names in the files that a user's macro could replace and the user would not expect to."""
    sources = [without_text(open(path).read()) for path in files]
    macros = {name for source in sources for name in re.findall(r"#\s*define\s+(\w+)", source)}
    words = {word for source in sources for word in re.findall(r"(?<![\w.])[A-Za-z_]\w*", source)}
    return {word for word in words - macros - KEYWORDS - OF_C - {"define"} if word[0] != "_" and not OF_CUDA.match(word)}


def write(names):
    names = sorted(names, key=lambda name: (name.lower(), name))
    for path, begin, lines in ((OFF, "#pragma push_macro", '#pragma push_macro("{0}")\n#undef {0}\n'),
                               (ON, "#pragma pop_macro", '#pragma pop_macro("{0}")\n')):
        text = open(path).read()
        with open(path, "w") as file:
            file.write(text[: text.index(begin)] + "".join(lines.format(name) for name in names))


names = re.findall(r"^#undef (\w+)$", open(OFF).read(), re.M)
given_back = re.findall(r'^#pragma pop_macro\("(\w+)"\)$', open(ON).read(), re.M)
assert names == given_back, "the two lists differ"
own = sorted(set(glob.glob(f"{include}/**/*.h", recursive=True)) - {OFF, ON})
missing = (set(string.ascii_letters) | names_of(own)) - set(names)
if missing and sys.argv[3:] == ["--write"]:
    write(set(names) | missing)
    sys.exit()
assert not missing, f"names that macros_off.h lacks ({sys.argv[0]} --write adds them): {sorted(missing)}"
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
