"""Common parts of this folder's tests: access to a build's programs, and compilation of the mechanisms of this folder."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parents[1] / "tools"))

import programs  # noqa: E402, F401
import reference  # noqa: E402, F401

MACHINES = ["gtx480", "gtx480-v4"]  # an L1 that answers at once, and one with a pipe in front of it


def compile_mechanism(known, source, built, *flags):
    """Compiles a mechanism of this folder into a shared object and returns its path."""
    flags = [*known.command("mech", "--cflags").split(), *flags]
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", *flags, HERE / source, "-o", built], check=True)
    return built
