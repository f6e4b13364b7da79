#!/usr/bin/env python3
"""Prints docs/reference/mechanism-reference.md from the headers and checks of mechanisms: option types, scopes, hooks and policies.

    tools/mechanism_reference.py            prints the page
    tools/mechanism_reference.py --check    compares it with docs/reference/mechanism-reference.md; the exit status is 1 when they differ
    tools/mechanism_reference.py --write    writes that page
"""
import re
import sys
from pathlib import Path

import generated_page

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/mechanism-reference.md"
TABLE, MECH = "src/base/table.h", "src/seam/mech.h"
CHECK, TABLES = "src/seam/check.c", "src/seam/tables.c"

FIELDS = {"U32": "`uint32_t`", "BOOL": "`bool`", "F64": "`double`", "ENUM": "`uint32_t`", "TEXT": "`char[64]`"}
VALUES = {
    "U32": "a whole number from `min` to `max`; `min` equal to `max`: any",
    "BOOL": "`true`/`false`, `yes`/`no`, `on`/`off`, `1`/`0`",
    "F64": "a number from `min` to `max`; `min` equal to `max`: any",
    "ENUM": "one of the words in `choices`; the field holds its index",
    "TEXT": "a text of up to 63 bytes",
}
SCOPES = {
    "SM": "an SM's hooks; one value per SM",
    "SLICE": "hooks of a memory partition; one value per L2 slice",
    "CHANNEL": "the unit is a DRAM channel; no value per unit",
    "NETWORK": "the unit is a network; no value per unit",
    "GPU": "the dispatcher's hooks; one value",
}
COMBINATIONS = {"SUM": "the sum over units, and over launches", "LARGEST": "the largest value of all units, and of all launches"}
VECTORS = {
    "COUNTERS": "counters by index: per bank, per warp slot, per array; combined element by element",
    "LINEAR": "a histogram: `bin` values per bin, the last bin takes the rest; combined by sum",
    "POWERS": "a histogram: bins 0, 1, 2 to 3, 4 to 7, ...; the last takes the rest; combined by sum",
}
KINDS = {"LOOK": "look", "VETO": "veto"}
PARTS = {"sm": "SM", "partition": "partition", "gpu": "GPU"}


def read(name):
    return (ROOT / name).read_text()


def enumerators(text, tag):
    body = re.search(rf"enum {tag} \{{(.*?)\}};", text, re.S)[1]
    return re.findall(r"\b([A-Z][A-Z0-9_]*)\b(?=\s*[,=}\n])", re.sub(r"/\*.*?\*/", "", body, flags=re.S) + "\n")


def tail_of(name, tails):
    """The key of `tails` that ends the name: U32 of BASE_OPTION_U32."""
    found = [tail for tail in tails if name.endswith("_" + tail)]
    if not found:
        sys.exit(f"tools/mechanism_reference.py has no text for {name}")
    return max(found, key=len)


def row(*cells):
    return "| " + " | ".join(cells) + " |\n"


def table(*head):
    return "\n" + row(*head) + row(*("---" for _ in head))


def enum_rows(text, tag, *columns):
    """One row per enumerator, with the texts of the columns."""
    return "".join(row(f"`{name}`", *(column[tail_of(name, column)] for column in columns)) for name in enumerators(text, tag)
                   if not name.endswith("_SIZE"))


def tag_with(text, suffix):
    """The whole tag of the enum whose tag ends in `suffix`."""
    return re.search(rf"enum (\w*{suffix}) \{{", text)[1]


def hooks(text, macro):
    body = re.search(rf"#define {macro}\(LOOK, VETO\)(.*?)\n\n", text, re.S)[1]
    return re.findall(r'(LOOK|VETO)\((\w+), (\w+), (\w+),[\s\\]*"(.*?)"\)', body)


def policies(check, mech):
    """Policies with their names, the hooks that each must have, and those that it may have."""
    names = dict(re.findall(r'\{(MECH_\w+), "([^"]*)"\},', check))
    need, may = re.search(r"need\[\] = \{(.*?)\};", check, re.S)[1], re.search(r"may_have\[\] = \{(.*?)\};", check, re.S)[1]
    meanings = dict(re.findall(r"(MECH_\w+) = \d+,\s*/\* (.*?) \*/", mech))
    for name, what in names.items():
        yield name, what, re.findall(rf'\{{{name}, .*?"(\w+)"\}}', need), re.findall(rf'\{{{name}, .*?"(\w+)"\}}', may), meanings[name]


def code(names):
    return ", ".join(f"`{name}`" for name in names) or "none"


def page():
    base, mech, check, tables = (read(name) for name in (TABLE, MECH, CHECK, TABLES))
    version = re.search(r"MECH_VERSION_MAJOR = (\d+), MECH_VERSION_MINOR = (\d+)", mech)
    text = f"""# Mechanism reference

Version {version[1]}.{version[2]} of `seam/mech.h`. `tools/mechanism_reference.py` generates this page from the headers.
[Your mechanism](../tutorials/your-mechanism.md) explains how to write one; the headers document every call.

## Option types
The type of a field of the options' structure, and the values that `--mech NAME:KEY=VALUE` accepts.
"""
    text += table("type", "field", "values") + enum_rows(base, tag_with(base, "base_option_type"), FIELDS, VALUES)
    text += """
## Counter scopes
Where a counter is counted. Each part of a mechanism (SM, partition, GPU) has its own structure of counters.
"""
    text += table("scope", "counted by") + enum_rows(base, tag_with(base, "scope"), SCOPES)
    text += "\n## Combinations\nHow the values of several parts, or of several launches, become one.\n"
    text += table("combination", "result") + enum_rows(base, tag_with(base, "combination"), COMBINATIONS)
    text += "\n## Kinds of vectors\n" + table("kind", "meaning") + enum_rows(base, tag_with(base, "base_vector_kind"), VECTORS)
    text += """
## Looks and vetoes
Any number of mechanisms may have each of these hooks. A look returns nothing; a veto returns false to refuse. The
machine acts only when all mechanisms agree.
"""
    text += table("hook", "kind", "part", "event", "called when")
    for macro in ("MECH_SM_HOOKS", "MECH_PARTITION_HOOKS", "MECH_GPU_HOOKS"):
        for kind, part, hook, event, when in hooks(mech, macro):
            text += row(f"`{hook}`", KINDS[kind], PARTS[part], f"`struct {event}`", when)
    text += """
## Exclusive policies
One attached mechanism at most owns each policy: two owners are refused before the run. The owner must have the policy's
hooks, and no other mechanism may have them.
"""
    text += table("policy", "name in messages", "decides", "hooks", "may also have")
    for name, what, need, may, meaning in policies(check, mech):
        text += row(f"`{name}`", what, meaning, code(need), code(may))
    text += """
## Which hooks combine
- Looks, vetoes, `warps_that_compete`, `cycle`, `gpu_cycle` and the begin and end hooks combine with everything.
- Policies combine with each other when their owners differ or are one mechanism, but each has only one owner.
- An opcode of PTX (`opcodes`, with the hook `run_opcode`) has one owner.
- A mechanism that sets `only_looks` is refused when it has a veto or one of these:
"""
    body = re.search(r"\bchanges\[\] = \{(.*?)#define LOOK", tables, re.S)[1]
    text += "".join(f"    - {word}\n" for word in re.findall(r'"([^"]+)"', body))
    text += """- `on_reply`, the request accounts and the hooks about a request's outcome need `sends`. The machine's `sm.send_queue`
  must then be at least 1.
- `vector_label` is needed by vectors that are `named`; `vector_length` by vectors without a `length`.
- `keeps_in_step` is for mechanisms with GPU hooks that touch only the SMs they name with `mech_keep_in_step()`.
"""
    return text


if __name__ == "__main__":
    sys.exit(generated_page.keep(PAGE, page()))
