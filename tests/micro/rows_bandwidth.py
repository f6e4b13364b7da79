"""Measurements of the memory system's bandwidth, and of atomics."""

import math

import forms
from rows import DRAM_CYCLES, RATE, Row, always, stream, within

END = within(1, why="the warps do not end in one cycle")
SLOTS = within(4, -0.5, "start, end and the loop take issue slots")


def sm_bandwidths():
    for what, kernel, formula, numbers, scale, lines in (
        ("L1 hits, a line", "load", "one access a cycle", {"by_lane": 4}, 4, 1),
        ("L1 hits, four lines (16 bytes a lane)", "load_16_bytes", "one access a cycle", {"by_lane": 16}, 1, 4),
        ("shared memory, a word a lane", "shared", "one access a cycle", {"shared": 128}, 4, 1),
        ("constants, one line", "constant", "one access a cycle", {}, 4, 1),
    ):
        yield Row(
            what=what,
            program="bandwidth",
            kernel=kernel,
            formula=formula,
            expected=lambda m, lines=lines: lines,
            point=always(warps=16, **numbers),
            method=RATE,
            scale=scale,
            tolerance=SLOTS,
            options={"sm.warp_order": "lrr"},
        )


def l2_bandwidths():
    def enough(m):
        """Enough loads to cover L2's latency, and few enough to fit into its input queue."""
        loads = math.ceil(forms.l2_hit(m, 128, False) / forms.reply_time(m, 128)) + 3
        return {"by_lane": 4, "blocks": 2, "warps": math.ceil(loads / 2)}

    yield Row(
        what="one L2 slice: a line read",
        program="bandwidth",
        kernel="read",
        formula="packet time, or bytes / l2.port_bytes",
        expected=lambda m: forms.reply_time(m, 128),
        point=enough,
        method=RATE,
        trips=(8, 16),
        tolerance=END,
        follow={"network.flit_bytes": 24, "l2.port_bytes": 8},
    )
    yield Row(
        what="one SM: a line read from all slices",
        program="bandwidth",
        kernel="stream_read",
        formula="packet time at the SM's output of the reply network",
        expected=lambda m: forms.parts(m, 128) * forms.packet_time(m, 128 // forms.parts(m, 128)),
        point=always(warps=16, warm_warps=16, by_lane=4, by_warp=256, bytes=1 << 18),
        method=RATE,
        tolerance=within(2, why="twelve slices do not always take their turns in order"),
        follow={"network.flit_bytes": 72},
    )
    yield Row(
        what="one SM: a line written to one slice",
        program="bandwidth",
        kernel="store",
        formula="packet time, or bytes / l2.port_bytes",
        expected=lambda m: max(forms.packet_time(m, 128), forms.port(m, 128)),
        point=always(warps=16, by_lane=4),
        method=RATE,
        tolerance=END,
        follow={"network.flit_bytes": 24, "l2.port_bytes": 8},
    )
    yield Row(
        what="all SMs, all slices: a line read",
        program="bandwidth",
        kernel="stream_read",
        formula="a slice's / slices",
        expected=lambda m: forms.reply_time(m, 128) / forms.slices(m),
        point=lambda m: {
            "warps": 8,
            "blocks": m["sm.count"],
            "warm": 4,
            "warm_warps": 8,
            "by_lane": 4,
            "by_warp": 256,
            "by_step": 256,
            "bytes": 1 << 21,
        },
        method=RATE,
        trips=(2, 4),
        tolerance=within(100, 0, "a packet waits for others of its input: 59 % of the bound for random traffic"),
    )
    yield Row(
        what="one SM's L1: a line missed, L2 far away",
        program="bandwidth",
        kernel="stream_load",
        formula="an MSHR's time / l1d.mshrs",
        expected=lambda m: (forms.l2_hit(m, 128, True) - forms.l1_hit(m) - 1) / m["l1d.mshrs"],
        point=always(warps=4, warm=8, warm_warps=4, by_lane=4, by_warp=128, by_step=512, bytes=1 << 18),
        method=RATE,
        tolerance=END,
        options={"l2.delay": 2000, "sm.warp_order": "lrr"},
        follow={"l1d.mshrs": 16},
    )


# A DRAM clock of a quarter, so that only DRAM limits.
SLOW = {"clock.dram": 231}
ONE_ROW = SLOW | {"map.column_bits": 16}


def pieces_of_slice(m):
    """From a piece of a slice to its next: in one bank, until the row ends."""
    return forms.pieces_of_row(m)[1]


def pieces_of_channel(m):
    return m["map.channels"] * m["map.interleave_bytes"]


def other_banks(m):
    """To another bank and row, and another set of L2: the number of pieces in a row, plus one."""
    pieces, apart = forms.pieces_of_row(m)
    return (pieces + 1) * apart


def dram_rate(what, kernel, formula, expected, by_lane, **more):
    """Each lane reads or writes its own 32 bytes."""
    return Row(
        what=f"DRAM: {what}",
        program="bandwidth",
        kernel=kernel,
        formula=formula,
        expected=expected,
        point=stream(by_lane, lambda m: 32 * by_lane(m), pieces_of_slice),
        method=RATE,
        trips=(1, 2),
        scale=32,
        unit=DRAM_CYCLES,
        **({"tolerance": END} | more),
    )


def all_channels(m):
    """Warps of all SMs at adjacent addresses."""
    numbers = stream(lambda m: 4, lambda m: 128, forms.row_bytes, 8)(m)
    step = m["sm.count"] * numbers["by_step"]
    return numbers | {
        "blocks": m["sm.count"],
        "by_step": step,
        "fresh": 33 * step,
        "bytes": lambda body, trips: (34 + body * trips) * step,
    }


def dram_bandwidths():
    # Before any write: dirty lines would go to DRAM at the same time.
    yield Row(
        what="DRAM: all channels, a line of a stream",
        program="bandwidth",
        kernel="stream_read",
        formula="columns x tCCD / channels",
        expected=lambda m: forms.columns(m, 128) * m["dram.tCCD"] / m["map.channels"],
        point=all_channels,
        method=RATE,
        trips=(4, 8),
        unit=DRAM_CYCLES,
        tolerance=within(100, -1, "rows are opened, and neighbors in one bank group take tCCDL"),
    )
    yield dram_rate(
        "one bank, one row",
        "stream_read",
        "columns x max(tCCD, tCCDL)",
        lambda m: forms.columns(m, 32) * forms.column_time(m),
        pieces_of_slice,
        options=ONE_ROW,
        follow={"dram.tCCDL": 5},
    )
    yield dram_rate(
        "two banks of two groups",
        "stream_read",
        "columns x tCCD",
        lambda m: forms.columns(m, 32) * m["dram.tCCD"],
        pieces_of_channel,
        options=ONE_ROW | {"dram.bank_groups": 16},
        follow={"dram.tCCD": 5},
    )
    yield dram_rate(
        "eight banks, another row each time",
        "stream_read",
        "max(tRRD, a bank's time / 8, columns x tCCD)",
        lambda m: forms.rows_of_banks(m, m["map.banks"] // 2, 32),
        other_banks,
        options=SLOW,
        tolerance=within(10, -0.5, "an activate waits when another command has its cycle"),
        follow={"dram.tRRD": 9, "dram.tRC": 80},
    )
    yield dram_rate(
        "one bank, one row, writes that fetch their line",
        "stream_store",
        "tWTR + (columns - 1) tCCDL + tRTW",
        lambda m: m["dram.tWTR"] + (forms.columns(m, 32) - 1) * forms.column_time(m) + m["dram.tRTW"],
        pieces_of_slice,
        options=ONE_ROW,
        follow={"dram.tRTW": 22, "dram.tWTR": 31},
        machines=("gtx480",),  # gtx480-v4 fetches nothing
    )
    rows = stream(lambda m: 4, forms.row_bytes, forms.row_bytes, 4)
    for kernel, expected, formula, follow in (
        (
            "stream_read",
            forms.rows_read,
            "max(tRC, tRP + max(tRAS, tRCD + (columns - 1) tCCDL + max(tRTP, tRTPL)))",
            {"dram.tRC": 60, "dram.tRAS": 50, "dram.tRTPL": 50, "dram.tRTP": 50, "dram.tRP": 40, "dram.tRCD": 50},
        ),
        (
            "stream_store",
            forms.rows_written,
            "the same with tRCDWR, tWTP; where the line is fetched, tWTR and then its columns",
            {"dram.tWTP": 38, "dram.tRCDWR": 37, "dram.tWTR": 41},
        ),
    ):
        yield Row(
            what=f"DRAM: one bank, another row for each line {'read' if kernel == 'stream_read' else 'written'}",
            program="bandwidth",
            kernel=kernel,
            formula=formula,
            expected=lambda m, expected=expected: expected(m, 128),
            point=rows,
            method=RATE,
            trips=(2, 4),
            unit=DRAM_CYCLES,
            tolerance=END,
            follow=follow,
        )


def bandwidth():
    yield from sm_bandwidths()
    yield from l2_bandwidths()
    yield from dram_bandwidths()


# --- atomics ---


def atomics():
    for what, by_lane, pieces in (
        ("one address", 0, lambda m: 32),
        ("32 words of a line", 4, lambda m: 128 // m["sm.atomic_bytes"]),
        ("32 lines", 256, lambda m: 32),
    ):
        yield Row(
            what=f"atomic of a warp: {what}",
            program="atomics",
            kernel="global",
            formula="to LSU + crossing + l2.delay + 1 + 1 + crossing + 1 + (pieces - 1) packet times",
            expected=lambda m, pieces=pieces: forms.atomic(m, pieces(m)),
            point=always(by_lane=by_lane, bytes=1 << 18),
            follow={"l2.delay": 137, "sm.atomic_bytes": 128},
        )

    def enough(m):
        return {"warps": math.ceil(forms.atomic(m, 32) / (32 * forms.atomic_time(m))) + 1}

    yield Row(
        what="atomics on one address: a lane's",
        program="atomics",
        kernel="global",
        formula="packet time, or bytes / l2.port_bytes",
        expected=forms.atomic_time,
        point=enough,
        method=RATE,
        scale=32,
        tolerance=END,
        follow={"network.flit_bytes": 72, "l2.port_bytes": 2},
    )
    for what, by_step, expected in (("one address", 0, 1), ("32 words", 4, 1), ("32 words of a bank", 128, 32)):
        yield Row(
            what=f"atomic in shared memory, {what}",
            program="atomics",
            kernel="shared",
            formula="degree: lanes of one word share an access",
            expected=lambda m, expected=expected: expected,
            point=always(warps=16, by_step=by_step, shared=4096),
            method=RATE,
            scale=4,
            tolerance=SLOTS,
            options={"sm.warp_order": "lrr"},
        )
