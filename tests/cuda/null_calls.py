#!/usr/bin/env python3
"""Calls every declared function of both APIs with NULL, zero, invalid handles and invalid numbers.

All link and none crashes. Each returns an error that has a name, and a call without space for its result fails.

null_calls.py SLUICE [--seeds N]
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import sanitized  # noqa: E402

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include/cuda"
DECLARATION = re.compile(r"^(cudaError_t|CUresult) (\w+)\(([^;{]*)\);", re.M)
# calls that end the process or need more than plain arguments: waits, and handles that CUDA does not check either
LEFT_OUT = {"cudaSetCTATracker", "cudaFlushCTATracker", "cuLinkAddData_v2", "cuLinkAddFile_v2", "cuLinkComplete", "cuLinkDestroy"}
# either result may be omitted
OPTIONAL = {"cudaDeviceGetStreamPriorityRange", "cuCtxGetStreamPriorityRange"}
PRELUDE = """
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char zeros[1 << 16], garbage[1 << 12];
static void nothing(void) {}
static int failures;
static void check(const char *name, int code, int driver, int must_fail)
{
	const char *text = NULL;
	if (driver)
		cuGetErrorName((CUresult)code, &text);
	else
		text = cudaGetErrorName((cudaError_t)code);
	if (!text || strcmp(text, "unrecognized error code") == 0 || (must_fail && !code)) {
		fprintf(stderr, "%s returned %d\\n", name, code);
		failures++;
	}
	cudaGetLastError();
	memset(zeros, 0, sizeof zeros); /* what was written there are no arguments */
	memset(garbage, 0, sizeof garbage);
}
"""


def of_version(text, cuda):
    """Removes the parts for other CUDA versions."""
    values = {"__SLUICE_CUDA__": cuda, "CUDART_VERSION": 1000 * cuda, "CUDA_VERSION": 1000 * cuda}
    stack, lines = [], []
    for line in text.split("\n"):
        directive = re.match(r"\s*#\s*(if|elif|else|endif)\w*\b(.*)", line)
        if not directive:
            if all(state == "kept" for state in stack):
                lines.append(line)
            continue
        word, condition = directive.groups()
        known = re.fullmatch(r"\s*(\w+)\s*(==|<|>=)\s*(\d+)\s*", condition)
        holds = True
        if known and known[1] in values:
            left, right = values[known[1]], int(known[3])
            holds = {"==": left == right, "<": left < right, ">=": left >= right}[known[2]]
        if word == "if":
            stack.append("kept" if holds else "waits")
        elif word == "endif":
            stack.pop()
        else:
            stack[-1] = "kept" if stack[-1] == "waits" and holds else "past" if stack[-1] == "kept" else stack[-1]
    return "\n".join(lines)


def functions():
    """Returns (kind, name, [types]) for all declarations."""
    seen = {}
    for path in sorted(HEADERS.glob("cuda*.h")) + sorted((HEADERS / "sluice").glob("*.h")):
        text = re.sub(r"/\*.*?\*/|__dv\([^()]*\)|__dv\(\w+\(\w*\)\)", " ", of_version(path.read_text(), 12), flags=re.S)
        text = re.sub(r"__SLUICE_FORM1[23]\(\w+\)", " ", text)
        for kind, name, parameters in DECLARATION.findall(text):
            if "_templates" not in path.name and not name.startswith("__"):
                seen[name] = (kind, name, [type_of(p) for p in parameters.split(",") if p.strip() not in ("", "void")])
    return [row for name, row in sorted(seen.items()) if name not in LEFT_OUT]


def type_of(parameter):
    """Removes the parameter's name."""
    return re.sub(r"\s*\w+\s*$", "", " ".join(parameter.split())) or parameter


def argument(rng, kind, name, only_null):
    """Returns a value of that type."""
    if re.search(r"\*$|_t$|^CU\w+$|^enum|cudaHostFn_t|^struct", kind) and kind.endswith("*"):
        return f"({kind})NULL" if only_null or rng.random() < 0.4 else f"({kind})(void *)zeros"
    if kind in ("size_t", "unsigned int", "int", "unsigned long long", "cuuint64_t", "cuuint32_t", "uint64_t", "unsigned"):
        return "0" if only_null else rng.choice(["0", "1", "64"])
    if kind in ("short", "unsigned char", "unsigned short", "CUdevice"):
        return "0" if only_null or rng.random() < 0.7 else "1"
    if kind.startswith("enum ") or re.match(r"CU\w+_(flags|attribute)\w*$", kind):
        return f"({kind}){0 if only_null else rng.choice([0, 1, 2, 99])}"
    if kind in ("dim3", "CUipcMemHandle", "CUipcEventHandle", "CUmemLocation", "cudaIpcMemHandle_t", "cudaIpcEventHandle_t") or kind.startswith("struct "):
        return f"(({kind}){{0}})"
    if "Fn" in kind or "allback" in kind or "B2DSize" in kind:
        return f"({kind})NULL" if only_null or rng.random() < 0.5 else f"({kind})nothing"
    value = "0" if only_null or rng.random() < 0.5 else "(size_t)garbage"
    return f"({kind}){value}"


def program(rng, rows, only_null):
    lines = [PRELUDE, "int main(void)\n{"]
    for kind, name, types in rows:
        arguments = [argument(rng, t, name, only_null) for t in types]
        must_fail = only_null and types and types[0].endswith("*") and "const" not in types[0] and asks(name) and name not in OPTIONAL
        call = f"{name}({', '.join(arguments)})"
        lines.append(f'\tfprintf(stderr, "%s\\n", "{name}");')
        lines.append(f'\tcheck("{name}", (int){call}, {int(kind == "CUresult")}, {int(bool(must_fail))});')
    return "\n".join(lines + ["\treturn failures != 0;\n}\n"])


def asks(name):
    """True if its first argument receives the result."""
    return bool(re.search(r"Get|Create|Malloc|Alloc", name)) and not re.search(r"Async|Destroy|Exchange", name)


def run(sluice, text, folder, label):
    source, binary = folder / "calls.c", folder / "calls"
    source.write_text(text)
    subprocess.run([sluice, "cc", "--cuda-version", "12", "-O0", "-w", source, "-o", binary], check=True)
    done = subprocess.run([*sanitized.preload(sluice), binary], capture_output=True, text=True, errors="replace", timeout=300, check=False)
    if done.returncode:
        sys.exit(f"{label}: status {done.returncode}\n{done.stderr[-30000:]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sluice")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    rows = functions()
    if len(rows) < 500:
        sys.exit(f"found only {len(rows)} functions")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run(arguments.sluice, program(random.Random(0), rows, True), folder, "all NULL")
        for seed in range(arguments.seeds):
            rng = random.Random(seed)
            calls = rng.sample(rows, len(rows))
            run(arguments.sluice, program(rng, calls, False), folder, f"seed {seed}")
    print(f"{len(rows)} functions, {arguments.seeds + 1} programs")


if __name__ == "__main__":
    main()
