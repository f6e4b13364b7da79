"""Defines a measurement: one Row, and its tolerance."""

from dataclasses import dataclass, field
from typing import Callable

# The way a figure is computed from launches (run.py: measure).
STEP, RATE, WAVE, WHOLE = "step", "rate", "wave", "whole"

DRAM_CYCLES = "DRAM cycles"


@dataclass(frozen=True)
class Tolerance:
    """Accepts measured values from expected + low to expected + high."""

    low: float
    high: float
    relative: bool
    text: str

    def holds(self, expected, measured):
        scale = abs(expected) if self.relative else 1
        slack = 1e-9 * max(1, abs(expected))
        return expected + self.low * scale - slack <= measured <= expected + self.high * scale + slack


def within(high, low=None, why=""):
    """A relative tolerance in percent."""
    low = -high if low is None else low
    span = f"{high} %" if low == -high else f"{low:+} to {high:+} %"
    return Tolerance(low / 100, high / 100, True, f"{span}: {why}")


def cycles(amount, why):
    return Tolerance(-amount, amount, False, f"{amount}: {why}")


EXACT = Tolerance(0, 0, False, "exact")


@dataclass
class Row:
    what: str
    program: str
    kernel: str
    formula: str
    expected: Callable  # a function of the machine
    point: Callable  # a function of the machine: the parameters of the launches
    method: str = STEP
    trips: tuple = (4, 8)
    scale: float = 1  # units per step: the figure is for one unit
    figure: str = "cycles"  # or a counter
    unit: str = "cycles"  # or DRAM_CYCLES, or the counted quantity
    tolerance: Tolerance = EXACT
    options: dict = field(default_factory=dict)
    follow: dict = field(default_factory=dict)  # option: value, one at a time: the figure must follow
    machines: tuple = ("gtx480", "gtx480-v4")


def always(**numbers):
    return lambda machine: numbers


def stream(by_lane, by_warp, align, warps=1):
    """Warps that advance through memory that the warm launch, of one trip and a block on every SM, did not touch."""

    def point(m):
        step = by_warp(m) * warps
        ahead = m["sm.count"] + 32
        return {
            "warps": warps,
            "by_lane": by_lane(m),
            "by_warp": by_warp(m),
            "by_step": step,
            "align": align(m),
            "fresh": ahead * step,
            "bytes": lambda body, trips: (ahead + body * trips + 1) * step,
        }

    return point
