#!/usr/bin/env python3
"""Checks that no object file links upward. Undefined symbols of a module's objects must be defined in the module itself
or on a lower layer (tools/layers.txt). Checking includes is not enough: a file may itself declare a symbol that a
higher module defines. A pointer that a module receives is not a link.

    tools/check_links.py BUILD
"""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
DEFINED = set("TDBRVWCGSiu")


def layers():
    rows = [line.split() for line in (SOURCE / "tools" / "layers.txt").read_text().splitlines()]
    return {module: int(layer) for module, layer in rows}


def source_of(build, path):
    """Returns an object's source file, relative to the tree's root. None for objects of tests, of the toolkit, and of
    deleted files."""
    parts = list(path.relative_to(build).parts)
    if parts[0] == "tests" or "src" not in parts:
        return None
    file = Path(*[part for part in parts[parts.index("src") :] if part != "CMakeFiles" and not part.endswith(".dir")])
    file = file.with_suffix("")
    return file if (SOURCE / file).is_file() else None


def symbols(paths):
    """Returns {path: (defined, undefined)}, the external symbols of object files."""
    done = subprocess.run(["nm", "-gA", *paths], capture_output=True, text=True, check=True)
    found = {path: (set(), set()) for path in paths}
    for line in done.stdout.splitlines():
        path, _, row = line.partition(":")
        kind, name = row.split()[-2:]
        if kind in DEFINED:
            found[Path(path)][0].add(name)
        elif kind == "U":
            found[Path(path)][1].add(name)
    return found


def main():
    build, layer = Path(sys.argv[1]).resolve(), layers()
    sources = {path: source_of(build, path) for path in sorted(build.rglob("*.o"))}
    sources = {path: file for path, file in sources.items() if file}
    found = symbols(list(sources))
    modules = {file.parts[1] for file in sources.values()}
    defined_in = defaultdict(set)
    for path, (defined, _) in found.items():
        for name in defined:
            defined_in[name].add(sources[path].parts[1])
    missing = [module for module in layer if module not in modules and (SOURCE / "src" / module).is_dir()]
    wrong = [f"{build}: no object of the module {module}: is everything built?" for module in missing]
    for path, (_, undefined) in found.items():
        file, module = sources[path], sources[path].parts[1]
        for name in sorted(undefined):
            others = defined_in[name]
            if others and module not in others and all(layer[other] >= layer[module] for other in others):
                wrong.append(f"{file}: {module} (layer {layer[module]}) links to {name} of {', '.join(sorted(others))}")
    print("\n".join(wrong) or f"{len(sources)} objects of {len(modules)} modules: none links upward")
    return 1 if wrong else 0


sys.exit(main())
