"""Measurements inside an SM: issue, units, shared memory, barriers, launches."""

import forms
from rows import EXACT, RATE, WAVE, WHOLE, Row, always, cycles, within

LOOP = 3  # instructions of the loop around a body
ALL_WARPS = 32  # of one block: enough to fill every pipe
LOOP_SLOTS = within(6, -0.5, "start, end and the loop take issue slots")
END = within(2, why="the warps do not end in one cycle")

# Latency class and type, operands of the chain's instruction, and whether the instruction is slow.
OPERATIONS = [
    ("move", "int", 1, False),
    ("add", "int", 1, False),
    ("add", "fp32", 2, False),
    ("add", "fp64", 2, True),
    ("max", "int", 2, False),
    ("max", "fp32", 2, False),
    ("max", "fp64", 2, True),
    ("mul", "int", 2, False),
    ("mul", "fp32", 2, False),
    ("mul", "fp64", 2, True),
    ("mad", "int", 3, False),
    ("mul24", "int", 2, False),
    ("mad24", "int", 3, False),
    ("fma", "fp32", 3, False),
    ("fma", "fp64", 3, True),
    ("div", "int", 2, True),
    ("rem", "int", 2, True),
    ("div", "fp32", 2, True),
    ("div", "fp64", 2, True),
    ("special", "fp32", 1, True),
    ("special", "fp64", 1, True),
]


def arithmetic(name, kind, operands, slow):
    key = f"{name}.{kind}"
    yield Row(
        what=f"{name} {kind}: dependent",
        program="issue",
        kernel=f"{name}_{kind}_chain",
        formula=f"latency.{key} + gather {operands} + 5",
        expected=lambda m: max(forms.chain(m, key, operands), m[f"initiation.{key}"]),
        point=always(),
        follow={f"latency.{key}": 61},
    )
    body = 4 * 32

    def expected(m):
        pipe = "sp" if name == "move" else m[f"runs_on.{key}"]
        return forms.rate(m, pipe, m[f"initiation.{key}"], body, LOOP) / body

    yield Row(
        what=f"{name} {kind}: independent",
        program="issue",
        kernel=f"{name}_{kind}_rate",
        formula=f"initiation.{key} / units of the pipes that run it; front end",
        expected=expected,
        point=always(warps=16 if slow else ALL_WARPS),
        method=RATE,
        trips=(2, 4) if slow else (8, 16),
        scale=4,
        tolerance=END if slow else LOOP_SLOTS,
        options={"sm.warp_order": "lrr"},
        follow={f"initiation.{key}": 11},
    )


def issue():
    for operation in OPERATIONS:
        yield from arithmetic(*operation)
    body = 4 * 32
    yield Row(
        what="front end and SP pipe: the narrowest place",
        program="issue",
        kernel="move_int_rate",
        formula="max(1 / schedulers, 8 / fetch_bytes, 1 / width, 1 / ports, 1 / result_bus, 1 / units)",
        expected=lambda m: forms.sp_rate(m, m["initiation.move.int"], body, LOOP) / body,
        point=always(warps=ALL_WARPS),
        method=RATE,
        trips=(8, 16),
        scale=4,
        tolerance=LOOP_SLOTS,
        options={"sm.warp_order": "lrr"},
        follow={
            "sm.schedulers": 1,
            "sm.fetch_bytes": 8,
            "sm.sp.issue_width": 1,
            "sm.sp.in_ports": 1,
            "sm.sp.out_ports": 1,
            "sm.result_bus": 1,
            "sm.sp.units": 1,
        },
    )
    yield Row(
        what="one warp alone: fetch",
        program="issue",
        kernel="move_int_rate",
        formula="(instructions a fetch + 1) / instructions a fetch",
        expected=forms.fetch_alone,
        point=always(),
        scale=4,
        follow={"sm.fetch_bytes": 8},
    )
    yield Row(
        what="two warps, of two schedulers",
        program="issue",
        kernel="move_int_rate",
        formula="half of it",
        expected=lambda m: forms.fetch_alone(m) / 2,
        point=always(warps=2),
        scale=4 * 2,
        follow={"sm.fetch_bytes": 8},
    )
    yield Row(
        what="three operands of three banks, one warp",
        program="issue",
        kernel="three_banks",
        formula="fetch alone; other collectors read meanwhile",
        expected=forms.fetch_alone,
        point=always(),
        options={"runs_on.mad.int": "sp"},
    )
    yield Row(
        what="three operands of one bank, one warp",
        program="issue",
        kernel="one_bank",
        formula="operands of the bank",
        expected=lambda m: max(forms.fetch_alone(m), sum(r % m["sm.register_banks"] == 0 for r in (0, 16, 32))),
        point=always(),
        options={"runs_on.mad.int": "sp"},
        tolerance=within(1, -7, "what the loop's branch has let the collectors catch up with"),
        follow={"sm.register_banks": 32},
    )
    yield Row(
        what="three operands, few collectors",
        program="issue",
        kernel="three_banks",
        formula="(gather 3 + 1) / collectors",
        expected=lambda m: (forms.gather(m, 3) + 1) / m["sm.sp.collectors"],
        point=always(warps=8),
        method=RATE,
        options={"sm.sp.collectors": 1, "runs_on.mad.int": "sp"},
        tolerance=within(11, -1, "the loop's instructions need collectors too, with fewer operands"),
        follow={"sm.sp.collectors": 2},
    )
    yield Row(
        what="taken branch, first of its fetch",
        program="issue",
        kernel="branch",
        formula="stale buffer found, fetch, decode",
        expected=lambda m: 3,
        point=always(),
    )


# --- shared memory ---


def shared_conflicts():
    for stride in (0, 1, 2, 3, 4, 5, 8, 16, 31, 32):
        yield Row(
            what=f"shared memory, stride {stride}: dependent",
            program="shared_conflicts",
            kernel="chain",
            formula="to LSU + 1 + sm.shared_latency + degree - 1",
            expected=lambda m, stride=stride: forms.shared(m, forms.degree(m, stride)),
            point=always(by_step=4 * stride, shared=4096),
            follow={"sm.shared_latency": 17, "sm.shared_banks": 16} if stride in (1, 32) else {},
        )
    for stride in (0, 1, 2, 4, 8, 16, 31, 32):
        yield Row(
            what=f"shared memory, stride {stride}: independent",
            program="shared_conflicts",
            kernel="rate",
            formula="degree: words of the busiest bank",
            expected=lambda m, stride=stride: forms.degree(m, stride),
            point=always(warps=16, by_step=4 * stride, shared=4096),
            method=RATE,
            scale=4,
            tolerance=within(4, -0.5, "start, end and the loop take issue slots"),
            options={"sm.warp_order": "lrr"},
            follow={"sm.shared_banks": 16} if stride == 16 else {},
        )
    for kernel, words in (("rate_8_bytes", 2), ("rate_16_bytes", 4)):
        yield Row(
            what=f"shared memory, {4 * words} bytes a lane, side by side",
            program="shared_conflicts",
            kernel=kernel,
            formula="words of the busiest bank",
            expected=lambda m, words=words: forms.degree(m, words, words),
            point=always(warps=16, by_step=4 * words, shared=4096),
            method=RATE,
            tolerance=LOOP_SLOTS,
            options={"sm.warp_order": "lrr"},
            follow={"sm.shared_banks": 64},
        )
    for stride in (1, 32):
        yield Row(
            what=f"shared memory, stride {stride}: stores",
            program="shared_conflicts",
            kernel="store",
            formula="max(degree, (gather 2 + 1) / sm.mem.collectors)",
            expected=lambda m, stride=stride: max(forms.degree(m, stride), (forms.gather(m, 2, 1) + 1) / m["sm.mem.collectors"]),
            point=always(warps=16, by_step=4 * stride, shared=4096),
            method=RATE,
            tolerance=within(4, -0.5, "start, end and the loop take issue slots"),
            options={"sm.warp_order": "lrr"},
            follow={"sm.mem.collectors": 1} if stride == 1 else {},
        )


# --- barriers, launches ---


def barrier():
    for warps in (2, 4, 8, 16, 32):
        yield Row(
            what=f"barriers, one after another, {warps} warps",
            program="barrier",
            kernel="back_to_back",
            formula="warps x 8 / sm.fetch_bytes + instructions a fetch - 1",
            expected=lambda m, warps=warps: warps * forms.fetch(m) + m["sm.fetch_bytes"] // 8 - 1,
            point=always(warps=warps),
            tolerance=cycles(0.7, "the order in which warps are released and fetch"),
            follow={"sm.fetch_bytes": 8} if warps == 16 else {},
        )
    for warps in (1, 2, 4):
        yield Row(
            what=f"a barrier between five dependent adds, {warps} warp{'s' if warps > 1 else ''}",
            program="barrier",
            kernel="in_chain",
            formula="the adds: warps that come together wait for nothing",
            expected=lambda m: 5 * forms.chain(m, "add.int", 1),
            point=always(warps=warps),
            tolerance=EXACT if warps == 1 else cycles(0.1, "in which order the warps issue"),
            follow={"latency.add.int": 7} if warps == 4 else {},
        )


def launch():
    yield Row(
        what="a kernel that does nothing, a block of a warp on every SM",
        program="launch",
        kernel="empty",
        formula="start 1, fetch and decode 2, latency.branch + 5, end 1",
        expected=lambda m: 1 + 2 + m["latency.branch.int"] + 5 + 1,
        point=lambda m: {"blocks": m["sm.count"]},
        method=WHOLE,
        follow={"latency.branch.int": 21},
    )
    for warps in (1, 8, 32):
        yield Row(
            what=f"from a block of {warps} warp{'s' if warps > 1 else ''} to the next, one at a time on an SM",
            program="launch",
            kernel="empty",
            formula="start 1, fetch a warp a cycle, decode, latency.branch + 5",
            expected=lambda m, warps=warps: 1 + warps - 1 + 2 + m["latency.branch.int"] + 5,
            point=lambda m, warps=warps: {"warps": warps, "shared": m["sm.shared_bytes"]},
            method=WAVE,
            trips=(4, 12),
            follow={"latency.branch.int": 21} if warps == 1 else {},
        )

    def of_many(m):
        alone, blocks = 1 + 2 + m["latency.branch.int"] + 5, m["sm.blocks"]
        return max(1, (alone + (alone - blocks <= 1)) / blocks)

    yield Row(
        what="from a block to the next, the SM full",
        program="launch",
        kernel="empty",
        formula="the same / sm.blocks; + 1 where fetch has a turn free at most: its walk comes to the ended warp's slot a cycle later",
        expected=of_many,
        point=always(),
        method=WAVE,
        trips=(80, 160),
        follow={"sm.blocks": 4, "latency.branch.int": 21},
    )


# --- coalescing ---


def coalescing():
    def row(what, kernel, formula, expected, figure, unit, **numbers):
        return Row(
            what=what,
            program="coalescing",
            kernel=kernel,
            formula=formula,
            expected=expected,
            point=always(bytes=1 << 18, align=4096, **numbers),
            figure=figure,
            unit=unit,
        )

    shapes = [(4, by, 0) for by in (0, 4, 8, 12, 16, 32, 64, 128, 256)] + [(4, 4, 4), (4, 4, 64), (4, 8, 100)]
    shapes += [(1, 1, 0), (1, 4, 0), (1, 1, 31), (2, 2, 0), (2, 2, 2), (2, 4, 0), (8, 8, 0), (8, 8, 64), (16, 16, 0)]
    for size, by, offset in shapes:
        unit = f"{size} byte{'s' if size > 1 else ''}"
        place = f"{unit} a lane, {by} apart" + (f", {offset} after a line's start" if offset else "")
        yield row(
            f"L1 accesses a load: {place}",
            f"load_{unit.replace(' ', '_')}",
            "segments of 128 bytes (2-byte data 64, 1-byte 32)",
            lambda m, a=(size, by, offset): len(forms.segments(*a)),
            "l1d.accesses",
            "accesses",
            by_lane=by,
            offset=offset,
        )
    for words in (1, 2, 4):
        yield row(
            f"L1 accesses a load of local memory: {4 * words} bytes a lane",
            f"local_{4 * words}_bytes",
            "words: each word's line has its own",
            lambda m, words=words: words,
            "l1d.accesses",
            "accesses",
        )
    for by in (0, 4, 16, 64):
        yield row(
            f"constant cache accesses a load: 4 bytes a lane, {by} apart",
            "constants",
            "lines of the constant cache that lanes touch",
            lambda m, by=by: len({lane * by // m["l1c.line_bytes"] for lane in range(32)}),
            "l1c.accesses",
            "accesses",
            by_step=by,
        )
    for by, offset in ((0, 0), (4, 0), (4, 64), (8, 0), (32, 0), (64, 0)):
        place = f"4 bytes a lane, {by} apart" + (f", {offset} after a line's start" if offset else "")
        yield row(
            f"L2 accesses of a load that bypasses L1: {place}",
            "past_l1",
            "segments, halved while a half is unused; their sectors",
            lambda m, a=(4, by, offset): sum(forms.parts(m, size) for _, size in forms.segments(*a)),
            "slice.entered",
            "requests",
            by_lane=by,
            offset=offset,
        )
    for size, by in ((4, 4), (4, 8), (4, 128), (1, 1), (1, 32)):
        unit = f"{size} byte{'s' if size > 1 else ''}"
        yield row(
            f"flits a store: {unit} a lane, {by} apart",
            f"store_{unit.replace(' ', '_')}",
            "ceil((8 + bytes) / network.flit_bytes) of each segment",
            lambda m, a=(size, by, 0): sum(forms.flits(m, bytes_) for _, bytes_ in forms.segments(*a)),
            "request_network.flits",
            "flits",
            by_lane=by,
        )
