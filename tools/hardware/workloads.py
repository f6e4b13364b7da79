"""The kernels that the kit times: the project's programs, the reference kernels, and those of the folder kernels."""

from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# The headers that the programs need in addition to CUDA's own.
HEADERS = [ROOT / "include/cuda/sluice" / name for name in ("dma.h", "macros_off.h", "macros_on.h")]

# First argument of a reference kernel, for the three sizes.
REFERENCE = {
    "bfs": (32768, 262144, 2097152),
    "collatz": (32768, 262144, 2097152),
    "fma": (32, 256, 2048),
    "histogram": (1 << 19, 1 << 22, 1 << 25),
    "matmul_naive": (160, 512, 2048),
    "matmul_tiled": (208, 512, 2048),
    "pchase": (16384, 131072, 1048576),
    "reduce": (1 << 18, 1 << 21, 1 << 24),
    "saxpy": (1 << 19, 1 << 22, 1 << 25),
    "scatter_store": (45, 360, 1440),
    "set_pressure": (128, 512, 2048),
    "stencil5": (512, 2048, 8192),
    "streamcopy": (1 << 18, 1 << 22, 1 << 25),
    "transpose_naive": (1024, 4096, 8192),
    "transpose_padded": (1024, 4096, 8192),
    "vecadd": (1 << 19, 1 << 22, 1 << 25),
}

# Forms that need hardware that no GPU has: D2MA's DMA engine.
SIMULATED = "dma"


@dataclass(frozen=True)
class Run:
    name: str
    variant: str
    source: Path
    sizes: tuple = ()  # first arguments by size; else the program takes --size

    def arguments(self, size):
        if self.sizes:
            return [self.sizes[("tiny", "small", "paper").index(size)]]
        variant = ["--variant", self.variant] if self.variant != "default" else []
        return ["--size", size, *variant]


def program_runs():
    for description in sorted((ROOT / "programs").glob("*/program.yaml")):
        known = yaml.safe_load(description.read_text())
        source = description.parent / f"{description.parent.name}.cu"
        for variant in known.get("variants", ["plain"]):
            if SIMULATED not in variant.split("_"):
                yield Run(source.stem, variant, source)


def runs(all_variants):
    """All runs: of the programs the first variant, or all."""
    programs = {}
    for run in program_runs():
        programs.setdefault(run.name, []).append(run)
    own = [Run(f"kit_{source.stem}", "default", source) for source in sorted((HERE / "kernels").glob("*.cu"))]
    folder = ROOT / "tests/data/reference/kernels"
    reference = [Run(f"reference_{name}", "default", folder / f"{name}.cu", sizes) for name, sizes in REFERENCE.items()]
    others = [run for variants in programs.values() for run in variants[1:]] if all_variants else []
    return [variants[0] for variants in programs.values()] + reference + own + others
