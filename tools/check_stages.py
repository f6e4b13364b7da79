#!/usr/bin/env python3
"""Checks that only a stage's own files write its state (ARCHITECTURE.md, Inside an SM).

Each member of `struct sm` in OWNERS is the state of one stage. Other files change it through functions of the stage's header. The
script reads the list of stages from src/sm/sm.h: a stage without an owner here is an error.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# By member of struct sm: files, without their suffix, that may write it. Sub-cores are the collectors of newer SMs: one
# stage, two files.
OWNERS = {
    "blocks": ["blocks"],
    "fetch": ["fetch"],
    "issue": ["issue", "scheduler", "scoreboard"],
    "collectors": ["operand_collectors", "sub_cores"],
    "sub_cores": ["sub_cores"],
    "registers": ["register_file"],
    "units": ["units"],
    "lsu": ["load_store"],
    "buffer_waiters": ["prefetch_buffer"],
    "shared": ["shared_memory"],
    "copies": ["async_copy"],
    "phase_waits": ["phase_wait"],
    "l1": ["l1"],
    "texture": ["texture_unit"],
    "network": ["network_port"],
    "write_back": ["write_back"],
}
WRITE = r"\s*(?:\+\+|--|(?:[-+*/|&^]|<<|>>)?=(?!=))"
MEMBER = re.compile(r"(\+\+|--)?\s*sm->(\w+)(?:\.\w+|\[[^\]]*\]|->\w+)+(" + WRITE + r")?")
POINTER = re.compile(r"\*\s*(\w+) = &sm->(\w+)")
THROUGH = re.compile(r"(\+\+|--)?\s*\b(\w+)->(?:\w+)(?:\.\w+|\[[^\]]*\])*(" + WRITE + r")?")


def without_comments(source):
    return re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), source, flags=re.S)


def foreign_writes(path, root=ROOT):
    stem, pointers = path.stem, {}
    for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).split("\n"), 1):
        if line.startswith("}"):
            pointers = {}
        pointers.update({match[1]: match[2] for match in POINTER.finditer(line) if match[2] in OWNERS})
        stages = [match[2] for match in MEMBER.finditer(line) if match[1] or match[3]]
        stages += [pointers.get(match[2]) for match in THROUGH.finditer(line) if match[1] or match[3]]
        for stage in stages:
            if stage in OWNERS and stem not in OWNERS[stage]:
                yield f"{path.relative_to(root)}:{number}: writes the state of {stage}: {line.strip()}"


def stages_of_sm():
    """The stages by their comments' place in struct sm: from `blocks` on, without latches, statistics and tables."""
    body = re.search(r"struct sm \{.*?\n\};", without_comments((ROOT / "src/sm/sm.h").read_text(encoding="utf-8")), re.S)[0]
    listed = body[body.index("struct fetch fetch;"):body.index("struct sm_stats")]
    return [match[1] for match in re.finditer(r"struct (?!latch)\w+ (\w+);", listed)]


def main():
    found = [f"src/sm/sm.h: stage {stage} has no owner in tools/check_stages.py" for stage in stages_of_sm() if stage not in OWNERS]
    for folder in ("src/sm", "src/gpu"):
        for path in sorted((ROOT / folder).glob("*.[ch]")):
            found += foreign_writes(path)
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
