#!/usr/bin/env python3
"""Checks that no table which an enumerator indexes is shorter than its enum: a value that is added could be read past its end.

    tools/check_tables.py            checks the tree; the exit status is 1 when a table is too short
    tools/check_tables.py --list     prints every such table with its length and its enum's

A table is an array with designated initializers, `[ENUMERATOR] = ...`. Its length is the one it states, or ends with the last
enumerator that it names. The enum's length ends with its last enumerator, without a last one that only counts the others: such
a count is used as the length of an array or as the end of a loop.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Tables that leave out these values at their end: the code that reads them has excluded these before.
PARTIAL = {
    ("src/cli/run/run.c", "reasons"): {"CUDA_PROGRAM_DRIVER", "CUDA_PROGRAM_NONE"},
    ("src/sm/cpi_stack.c", "causes"): {"CAUSE_IDLE"},
    ("src/simt/check_bulk.c", "sides"): {"BULK_PREFETCH"},
}
# Tables whose rows are of a type that has the enum's length.
ROWS = {("src/simt/exec_int.c", "relu"), ("src/simt/exec_int.c", "mask")}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ENUM = re.compile(r"\benum\b(?:\s+(\w+))?\s*\{(.*?)\}", re.S)
TABLE = re.compile(r"\b(\w+)((?:\[[^\]\n]*\])+)\s*=\s*\{(.*?)\};", re.S)
DESIGNATOR = re.compile(r"\[([A-Z]\w*)\]\s*=")


def sources():
    names = subprocess.run(["git", "ls-files", "src/*.[ch]", "include/sluice*.h"], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name: COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), (ROOT / name).read_text(errors="replace"))
            for name in names.stdout.split()}


def value_of(text, known):
    words = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(known.get(m[0], m[0])), text)
    return eval(words, {"__builtins__": {}}) if re.fullmatch(r"[\d\s()+*<>|&x-]+", words) else None


def read_enums(texts):
    """Enumerators with their values, and for each enumerator the enumerators of its enum. A name can stand for several enums,
    each in its own file."""
    enums = {}
    for name, text in texts.items():
        for match in ENUM.finditer(text):
            body = [part.strip() for part in match[2].split(",") if part.strip()]
            values, following = {}, 0
            for part in body:
                word, _, stated = part.partition("=")
                if not re.fullmatch(r"[A-Z]\w*\s*", word):
                    values = {}
                    break
                if stated:
                    following = value_of(stated, values)
                    if following is None:
                        values = {}
                        break
                values[word.strip()] = following
                following += 1
            for word in values:
                enums.setdefault(word, {})[name] = values
    return enums


def counts(texts):
    """Words that stand as the length of an array or the end of a loop."""
    found = re.findall(r"[\w\]]\[([A-Z]\w*)\]|(?:<|>=|%) ([A-Z]\w*)\b", "\n".join(texts.values()))
    return {word for pair in found for word in pair}


def enum_length(values, lengths):
    words = sorted(values, key=values.get)
    last = words[-1]
    return values[last] + (0 if len(words) > 1 and last in lengths else 1)


def length_of(dimensions, known, named):
    """Of several dimensions, the longest is that of the enum."""
    stated = [value_of(text, known) if text.strip() else named for text in re.findall(r"\[([^\]]*)\]", dimensions)]
    return max((length for length in stated if length is not None), default=None)


def tables(texts, enums):
    lengths = counts(texts)
    known = {word: next(iter(found.values()))[word] for word, found in enums.items()}
    for name, text in texts.items():
        for match in TABLE.finditer(text):
            named = [word for word in DESIGNATOR.findall(match[3]) if word in enums]
            if not named:
                continue
            where = enums[named[0]]
            values = where.get(name) or max(where.values(), key=lambda found: sum(word in found for word in named))
            named = [word for word in named if word in values]
            if not named:
                continue
            length = length_of(match[2], known, max(values[word] for word in named) + 1)
            line = text[:match.start()].count("\n") + 1
            wanted = enum_length({word: value for word, value in values.items() if word not in PARTIAL.get((name, match[1]), ())}, lengths)
            yield name, line, match[1], length, wanted, named[0]


def main():
    texts = sources()
    short = 0
    for name, line, table, length, wanted, first in tables(texts, read_enums(texts)):
        is_short = length is not None and length < wanted and (name, table) not in ROWS
        short += is_short
        if is_short or "--list" in sys.argv:
            print(f"{name}:{line}: {table} has {length} elements; the enum of {first} has {wanted} values")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
