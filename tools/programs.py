"""The papers' programs: reads their program.yaml, runs them, and reads their statistics and PTX."""

import argparse
import json
import re
import subprocess
from pathlib import Path

from reference import LAUNCHER, SOURCE, Failure


class Programs:
    """The programs, as known to one build of Sluice and run by it."""

    def __init__(self, build):
        self.build = Path(build).resolve()
        self.sluice = self.build / "bin/sluice"
        if not self.sluice.exists():
            raise Failure(f"{self.sluice} does not exist: build first, or name the build folder with --build")

    def command(self, *arguments, check=True, timeout=None):
        """Runs sluice. Returns its standard output, or the whole process if CHECK is false."""
        preload = SOURCE / "tests/cuda/preload.sh"
        words = ["sh", "-c", LAUNCHER, "launcher", self.sluice, preload, self.sluice, *arguments]
        done = subprocess.run(
            list(map(str, words)), capture_output=True, text=True, errors="replace", check=False, timeout=timeout
        )
        if check and done.returncode != 0:
            said = f"{done.stdout}{done.stderr}"
            raise Failure(f"status {done.returncode} of sluice {' '.join(map(str, arguments))}\n{said}")
        return done.stdout if check else done

    def list(self, names=()):
        """Returns all programs, or the named ones, sorted by name."""
        known = json.loads(self.command("programs", "list", "--json"))
        missing = set(names) - {program["name"] for program in known}
        if missing:
            raise Failure(f"no program is called {', '.join(sorted(missing))}")
        return [program for program in known if not names or program["name"] in names]

    def ptx(self, program):
        return (self.build / "bin/programs" / f"{program['name']}.ptx").read_text()


def chosen(doc):
    """Parses a command line with a build folder and program names. Returns all programs, and the selected ones."""
    parser = argparse.ArgumentParser(description=doc)
    add_build(parser)
    parser.add_argument("program", nargs="*", help="these programs instead of all")
    options = parser.parse_args()
    known = Programs(options.build)
    return known, known.list(options.program)


def add_build(parser):
    folder = SOURCE / "build"
    parser.add_argument("--build", default=folder, metavar="FOLDER", help="the build to run (default: build)")


def plain_name(mangled):
    """Returns a kernel's C++ name without namespaces, template arguments and parameters."""
    rest = re.sub(r"^_ZN?L?", "", mangled)
    name = mangled
    while match := re.match(r"(\d+)", rest):
        start, length = match.end(), int(match[1])
        name, rest = rest[start : start + length], rest[start + length :]
        if not mangled.startswith("_ZN"):
            break  # types of parameters follow
    return name


def kernel_texts(ptx):
    """Returns {mangled name: text} of the kernels in a PTX file, and the text outside of kernels."""
    pattern = re.compile(r"^(?:\.visible )?\.entry ([\w$]+)\(.*?^\}", re.MULTILINE | re.DOTALL)
    return {match[1]: match[0] for match in pattern.finditer(ptx)}, pattern.sub("", ptx)


def shared_variables(ptx):
    """Returns {mangled name: number of __shared__ variables} of the kernels in a PTX file: those declared in the
    kernel, and those of the module that the kernel uses."""
    declared = re.compile(r"\.shared\b[^;]*?\s([\w$]+)(?:\[[^\]]*\])*;")
    kernels, outside = kernel_texts(ptx)
    of_module = declared.findall("\n".join(line for line in outside.splitlines() if ".shared" in line))
    count = {}
    for name, text in kernels.items():
        declarations = "\n".join(line for line in text.splitlines() if re.match(r"\s*\.shared\b", line))
        named = set(re.findall(r"[\w$]+", text))
        count[name] = len(declared.findall(declarations)) + sum(variable in named for variable in set(of_module))
    return count
