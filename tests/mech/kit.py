"""What the tests of this folder share: a build's programs, and mechanisms compiled from here."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "tools"))

import programs  # noqa: E402, F401
import reference  # noqa: E402, F401

MACHINES = ["gtx480", "gtx480-v4"]  # one whose L1 answers at once, one with a pipe in front of it


def compile_mechanism(known, source, built, *flags):
    """A mechanism of this folder as a shared object."""
    flags = [*known.command("mech", "--cflags").split(), *flags]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *flags, HERE / source, "-o", built], check=True)
    return built
