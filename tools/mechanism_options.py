#!/usr/bin/env python3
"""Prints docs/reference/mechanism-options.md: the options of all built-in mechanisms, as `sluice mech show` describes them.

    tools/mechanism_options.py [--build DIR]            prints the page
    tools/mechanism_options.py [--build DIR] --check    compares it with docs/reference/mechanism-options.md; also sets every option,
                                                        and each option that a page or an experiment sets. The exit status is 1 when
                                                        the page differs or a setting is not as described.
    tools/mechanism_options.py [--build DIR] --write    writes that page
"""
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import generated_page

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/mechanism-options.md"
BUILD = Path(sys.argv[sys.argv.index("--build") + 1]) if "--build" in sys.argv else ROOT / "build"
NUMBER = r"-?[0-9.]+(?:e[+-]?\d+)?"
RANGE = re.compile(rf" \(({NUMBER}) to ({NUMBER})(?: ([^()]+))?\)$")
SETTING = r"(?<![\w./-])({names}):(\w+=[^\s`'\"|)\]}}]+)"


@dataclass
class Option:
    """As printed. `values` is a list of words, (least, most, unit), or None for any text."""

    name: str
    default: str
    meaning: str
    values: object


def sluice(*words):
    return subprocess.run([BUILD / "bin/sluice", "mech", *words], capture_output=True, text=True, check=False)


def parse(line):
    name, default, meaning = re.match(r"  (\S+) +(\S*) +(.*)$", line).groups()
    if default in ("true", "false"):
        return Option(name, default, meaning, ["true", "false"])
    if bounds := RANGE.search(meaning):
        return Option(name, default, meaning[: bounds.start()], (bounds[1], bounds[2], bounds[3] or ""))
    words = meaning.rsplit(": ", 1)[-1].split(", ")
    if default in words and all(re.fullmatch(r"\w+", word) for word in words):
        return Option(name, default, meaning.rsplit(": ", 1)[0], words)
    return Option(name, default, meaning, None)


def options(mechanism):
    """Those of a mechanism, or of all mechanisms that a name like caps stands for."""
    described = sluice("show", mechanism).stdout
    return [parse(line) for part in re.findall(r"^options:\n(.*?)\n\n", described, re.M | re.S) for line in part.split("\n")]


def mechanisms():
    """{name: (summary, options)}"""
    listed = (line.split(None, 1) for line in sluice("list").stdout.splitlines())
    return {name: (summary, options(name)) for name, summary in listed}


def values(option):
    if isinstance(option.values, list):
        return ", ".join(f"`{word}`" for word in option.values)
    return "a text" if option.values is None else "{} to {} {}".format(*option.values).rstrip()


def page(all_of):
    text = """# Options of the built-in mechanisms

`--mech NAME:KEY=VALUE,...` sets them. `tools/mechanism_options.py` generates this page from `sluice mech show NAME`,
which also lists counters, vectors and costs. `true` and `false` may also be `yes`/`no`, `on`/`off` and `1`/`0`. The
README of each mechanism explains what it does.
"""
    for name, (summary, its) in all_of.items():
        folder = ROOT / "src/mech" / name / "README.md"
        head = summary[0].upper() + summary[1:]
        head += f" ([README](../../src/mech/{name}/README.md))." if folder.exists() else "."
        text += f"\n## {name}\n" + textwrap.fill(head, 120, break_long_words=False, break_on_hyphens=False) + "\n"
        text += "\n| key | default | values | meaning |\n|---|---|---|---|\n" if its else "It has no options.\n"
        for option in its:
            text += f"| `{option.name}` | `{option.default}` | {values(option)} | {option.meaning} |\n"
    return text


def wrong_value(option):
    """A value that the option refuses; None when it takes any."""
    if isinstance(option.values, list):
        return "no_such_word"
    return None if option.values is None else f"{float(option.values[1]) + 1:g}"


def faults_of(name, its):
    """What is wrong with the options of a mechanism."""
    meanings = [option.meaning for option in its]
    for option in its:
        if len(option.meaning.split()) < 2 or option.meaning.endswith(".") or meanings.count(option.meaning) > 1:
            yield f"{name}:{option.name}: its meaning is empty, a sentence, or that of another option: '{option.meaning}'"
        if isinstance(option.values, tuple) and not float(option.values[0]) <= float(option.default) <= float(option.values[1]):
            yield f"{name}:{option.name}: the default {option.default} is out of range"
        if (wrong := wrong_value(option)) and sluice("show", f"{name}:{option.name}={wrong}").returncode != 2:
            yield f"{name}:{option.name}={wrong} is accepted"
    if its:
        described = sluice("show", name).stdout
        again = sluice("show", name + ":" + ",".join(f"{option.name}={option.default}" for option in its))
        if again.stdout != described:
            yield f"{name} with its defaults set differs from {name}: {again.stderr}"
    if sluice("show", f"{name}:no_such_key=1").returncode != 2:
        yield f"{name}:no_such_key=1 is accepted"


def texts():
    """Pages, experiments, machines and descriptions that set options."""
    for pattern in ("*.md", "docs/**/*.md", "src/mech/*/README.md", "programs/**/*.md", "experiments/*.yaml", "machines/*.yaml",
                    "templates/**/*", "examples/**/*.md"):
        yield from (path for path in sorted(ROOT.glob(pattern)) if path.is_file() and path != PAGE)


def faults_of_texts(names):
    seen = {}
    for path in texts():
        for found in re.finditer(SETTING.format(names="|".join(names)), path.read_text(errors="replace")):
            setting = found[1] + ":" + found[2].rstrip(".,;:")
            if re.search(r"=([A-Z]+\b|\.\.\.|\{|<)", setting) and not re.search(r"=[ISR]\b", setting):
                continue  # a placeholder
            seen.setdefault(setting, path.relative_to(ROOT))
    for setting, path in seen.items():
        tried = sluice("show", setting)
        if tried.returncode:
            yield f"{path}: {setting}: {tried.stderr.strip()}"


def main():
    all_of = mechanisms()
    if not all_of:
        sys.exit(f"found no mechanisms in {BUILD}")
    status = generated_page.keep(PAGE, page(all_of))
    if "--check" in sys.argv:
        faults = [fault for name, (_, its) in all_of.items() for fault in faults_of(name, its)] + list(faults_of_texts(all_of))
        print(*faults, sep="\n", end="\n" if faults else "")
        status |= bool(faults)
    return status


if __name__ == "__main__":
    sys.exit(main())
