#!/usr/bin/env python3
"""Protects the promise of MECH_VERSION (seam/mech.h): a minor version only adds what older mechanisms do not notice.

    check_layout.py SOURCE_DIR CLANG            compares the headers with tests/data/mech_layout.txt
    check_layout.py SOURCE_DIR CLANG --record   writes that file: for a new version

Every member on record has its offset still, and every enumerator its value. A structure that a mechanism fills, allocates or
finds in an array has its size still; one that it only receives by pointer may have grown at its end. With a new major version
all may change: then the record is written again. With a new minor version, too, when the check has passed.
"""
import re
import subprocess
import sys
from pathlib import Path

SOURCE_DIR, CLANG = Path(sys.argv[1]), sys.argv[2]
RECORD = SOURCE_DIR / "tests/data/mech_layout.txt"
HEADERS = ["mech.h", "mech_table.h", "mech_lines.h", "mech_levels.h", "mech_numbers.h", "mech_strides.h", "mech_listed.h", "mech_bulk.h"]
MACHINE = "".join(f'#include "seam/{name}"\n' for name in HEADERS)

# Structures that a mechanism receives by pointer, in memory of the machine, and not in an array.
GROWS = {"mech", "mech_machine", "mech_launch", "mech_rows", "mech_block", "mech_room", "mech_dispatch", "mech_choice", "mech_end", "mech_issue", "mech_memory",
         "mech_shared", "mech_access", "mech_warps", "mech_reply", "mech_outcome", "mech_sm", "mech_partition", "mech_gpu", "mech_output",
         "mech_pool", "mech_kept", "mech_services", "base_line_fill", "base_line_eviction", "base_line_use", "base_line_set", "base_packet",
         "base_dram_issue", "base_dram_queue"}


def run(options, text):
    command = [CLANG, "-xc", "-std=c17", f"-I{SOURCE_DIR}/src", *options, "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def bodies():
    """The headers' own text, preprocessed."""
    own, lines = False, []
    for line in run(["-E"], MACHINE).split("\n"):
        place = re.match(r'# \d+ "([^"]*)"', line)
        if place:
            own = place[1].startswith(str(SOURCE_DIR))
        elif own:
            lines.append(line)
    return "\n".join(lines)


def structures(text):
    return sorted(set(re.findall(r"\bstruct (\w+) \{", text)))


def enumerators(text):
    names = []
    for body in re.findall(r"\benum(?: \w+)? \{(.*?)\}", text, re.S):
        names += re.findall(r"(?:^|,)\s*([A-Z]\w*)", re.sub(r"=[^,]*", "", body))
    return names


def layouts(names):
    """(structure, member) with its offset, and (structure, "") with its size, of the outermost members."""
    text = MACHINE + "".join(f"int size_{name}[sizeof(struct {name})];\n" for name in names)
    found, current = {}, None
    for line in run(["-fsyntax-only", "-Xclang", "-fdump-record-layouts"], text).split("\n"):
        head = re.match(r"\s+0 \| struct (\w+)$", line)
        member = re.match(r"\s+(\d+) \|   (?=\S)(.*?)(\w+)(?:\[.*\])?$", line)
        size = re.search(r"\[sizeof=(\d+)", line)
        if head:
            current = head[1]
        elif size and current:
            found[current, ""] = int(size[1])
            current = None
        elif member and current in names:
            name = re.search(r"(\w+)\)?(?:\[\d+\])*(?:\(.*\))?$", member[2] + member[3])[0]
            found[current, re.sub(r"\W.*", "", name)] = int(member[1])
    return found


def values(names):
    """Enumerators by the values that the compiler gives them."""
    text = MACHINE + "".join(f"long long value_{name} = {name};\n" for name in names)
    assembly = run(["-S", "-o", "-"], text)
    found = {}
    for name, body in re.findall(r"^value_(\w+):\n(.*?)(?=^\s*\.size)", assembly, re.S | re.M):
        number = re.search(r"\.(?:quad|xword)\s+(-?\d+)", body)
        found["", name] = int(number[1]) if number else 0
    return found


def describe():
    text = bodies()
    return {**layouts(structures(text)), **values(enumerators(text))}


def read_record():
    rows = (line.split() for line in RECORD.read_text().split("\n") if line and not line.startswith("#"))
    return {("" if where == "-" else where, "" if name == "-" else name): int(number) for where, name, number in rows}


def write_record(now):
    version = f'{now["", "MECH_VERSION_MAJOR"]}.{now["", "MECH_VERSION_MINOR"]}'
    rows = [f"{where or '-'} {name or '-'} {number}\n" for (where, name), number in sorted(now.items())]
    RECORD.write_text(f"# The layout of version {version} of seam/mech.h, by tests/tools/check_layout.py --record: a structure (-: an enumerator), a member\n"
                      "# (-: the structure's size), bytes or value.\n" + "".join(rows))


def is_kept(key, before, now):
    where, name = key
    if now is None:
        return False
    if where and not name and where in GROWS:
        return now >= before
    return now == before or key in {("", "MECH_VERSION"), ("", "MECH_VERSION_MINOR")}


def main():
    now = describe()
    if "--record" in sys.argv:
        write_record(now)
        return 0
    before = read_record()
    if before["", "MECH_VERSION_MAJOR"] != now["", "MECH_VERSION_MAJOR"]:
        print("a new major version: write the record again with --record")
        return 1
    broken = [key for key in before if not is_kept(key, before[key], now.get(key))]
    for where, name in broken:
        what = f"struct {where}{'.' + name if name else ''}" if where else name
        print(f"{what}: was {before[where, name]}, is {now.get((where, name))}: this needs a new MECH_VERSION_MAJOR")
    if len(before) < 400:
        print(f"only {len(before)} rows are on record")
    return 1 if broken or len(before) < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
