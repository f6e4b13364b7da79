"""Measurements of the memory system's latency, and of the capacity of caches and rows."""

import forms
from rows import EXACT, Row, always, cycles, stream

CLOCKS = cycles(0.5, "which tick of the other clock a launch meets")


def latencies():
    small, large = {"nodes": 8, "stride": 128}, {"nodes": 256, "stride": 128, "warm": 16}
    yield Row(
        what="L1 hit",
        program="latency",
        kernel="global",
        formula="to LSU + sm.l1_latency",
        expected=forms.l1_hit,
        point=always(**small),
        follow={"sm.l1_latency": 20},
    )
    yield Row(
        what="shared memory",
        program="latency",
        kernel="shared",
        formula="to LSU + 1 + sm.shared_latency",
        expected=forms.shared,
        point=always(shared=128),
        follow={"sm.shared_latency": 17},
    )
    yield Row(
        what="constant cache hit",
        program="latency",
        kernel="constant",
        formula="to LSU",
        expected=lambda m: forms.to_lsu(m),
        point=always(),
    )
    yield Row(
        what="L2 hit, 32 bytes that bypass L1",
        program="latency",
        kernel="past_l1",
        formula="to LSU + crossing + l2.delay + 1 + 1 + crossing + 2",
        expected=lambda m: forms.l2_hit(m, 32, False),
        point=always(**large),
        follow={"l2.delay": 137, "network.flit_bytes": 16, "network.speedup": 4},
    )
    yield Row(
        what="L2 hit, a line through L1",
        program="latency",
        kernel="global",
        formula="the same + 1 + sm.l1_latency, with a line's flits",
        expected=lambda m: forms.l2_hit(m, 128, True),
        point=always(**large),
        follow={"l2.delay": 137, "sm.l1_latency": 9, "network.flit_bytes": 72},
    )
    yield Row(
        what="16 instructions, a line of them from L2",
        program="latency",
        kernel="instructions",
        formula="crossing + l2.delay + 1 + 1 + crossing of a line + 1 (0 with sm.fetch_hands_over), and 16 times fetch alone",
        expected=lambda m: 128 // m["l1i.line_bytes"] * forms.instruction_miss(m) + 16 * forms.fetch_alone(m),
        point=always(warm=2),
        scale=2,
        follow={"l2.delay": 137, "l1i.line_bytes": 64},
    )
    yield Row(
        what="store and fence",
        program="latency",
        kernel="store_and_fence",
        formula="to LSU + sm.l1_latency + 1 + crossing of 32 bytes + l2.delay + 1 + 1 + crossing",
        expected=forms.store_and_fence,
        point=always(warm=2),
        follow={"l2.delay": 137},
    )


# --- DRAM ---

# The DRAM clock set to that of the rest: no request waits for a tick, and the chain's cycles add up.
ONE_CLOCK = {"clock.dram": 700}


def conflicts(m):
    """A chain in which each node is in another row of one bank. The warm launch walks its first body."""
    apart = forms.row_bytes(m)
    return {
        "nodes": lambda body, trips: body * (trips + 1),
        "stride": apart,
        "align": apart,
        "fresh": lambda body, trips: body * apart,
    }


def row_hits(m):
    """A chain through all pieces of a row, then through the next row's of the same bank."""
    apart = forms.row_bytes(m)
    pieces, stride = forms.pieces_of_row(m)
    return {
        "nodes": lambda body, trips: body * (trips + 1),
        "stride": stride,
        "group": pieces,
        "jump": apart,
        "align": apart,
        "fresh": lambda body, trips: body // pieces * apart,
    }


def a_row(m):
    return [True] + [False] * (forms.pieces_of_row(m)[0] - 1)


def dram_latencies():
    timing = {"dram.latency": 117, "dram.tRP": 21, "dram.tRCD": 23, "dram.tCL": 19, "l2.delay": 90}
    for at, options, tolerance in ((" (one clock)", ONE_CLOCK, EXACT), ("", {}, CLOCKS)):
        yield Row(
            what=f"DRAM, another row of an open bank, 32 bytes that bypass L1{at}",
            program="latency",
            kernel="past_l1",
            formula="L2 hit + ports + latency + tRP + tRCD + (columns - 1) tCCDL + tCL",
            expected=lambda m: forms.dram_link(m, 32, False, [True]),
            point=conflicts,
            options=options,
            tolerance=tolerance,
            follow=timing if options else {"clock.dram": 500},
        )
        yield Row(
            what=f"DRAM, another row, a line through L1{at}",
            program="latency",
            kernel="global",
            formula="the same with L1's miss and a line's columns and flits",
            expected=lambda m: forms.dram_link(m, 128, True, [True]),
            point=conflicts,
            options=options,
            tolerance=tolerance,
            follow={"dram.tCCDL": 7, "dram.atom_bytes": 32} if options else {},
        )
        yield Row(
            what=f"DRAM, 16 pieces of a row: one conflict, 15 hits{at}",
            program="latency",
            kernel="past_l1",
            formula="(conflict + 15 (conflict - tRP - tRCD)) / 16",
            expected=lambda m: forms.dram_link(m, 32, False, a_row(m)),
            point=row_hits,
            options=options,
            tolerance=tolerance,
            follow={"dram.tRCD": 28} if options else {},
        )
        yield Row(
            what=f"store that misses L2 to another row, and fence{at}",
            program="latency",
            kernel="stores_and_fences",
            formula="store and fence + ports + latency + tRP + tRCDWR + tWL",
            expected=forms.dram_write_link,
            point=stream(lambda m: 0, forms.row_bytes, forms.row_bytes),
            options=options,
            tolerance=tolerance,
            follow={"dram.tWL": 9, "dram.tRCDWR": 17} if options else {},
            machines=("gtx480",),  # gtx480-v4 holds it in L2
        )


# --- capacity of caches and rows: chains that fit, and chains that just do not fit ---


def chain_over(cache, more, apart=128):
    """A chain through all lines of a cache, and `more` lines of each set."""

    def point(m):
        count = forms.slices(m) if cache == "l2" else 1
        size, sets, ways = m[f"{cache}.line_bytes"], m[f"{cache}.sets"], m[f"{cache}.ways"]
        nodes = count * sets * (ways + more) * size // apart
        return {"nodes": nodes, "stride": apart, "align": count * sets * size}

    return point


def capacity(name, cache, kernel, trips):
    for more, formula in ((0, "sets x ways lines fit"), (1, "the least recently used line of each set goes")):
        yield Row(
            what=f"{name} misses a load: chain of {'one more line per set' if more else 'one line per entry'}",
            program="latency",
            kernel=kernel,
            formula=formula,
            expected=lambda m, more=more: more,
            point=chain_over(cache, more),
            trips=trips,
            figure=f"{cache}.read_misses",
            unit="misses",
            follow={f"{cache}.ways": 6},
        )


def capacities():
    yield from capacity("L1", "l1d", "global", (20, 40))
    yield from capacity("L2", "l2", "past_l1", (450, 500))
    yield Row(
        what="L1 misses a load: the same, 32 bytes apart",
        program="latency",
        kernel="global",
        formula="32 / l1d.line_bytes",
        expected=lambda m: 32 / m["l1d.line_bytes"],
        point=chain_over("l1d", 1, 32),
        trips=(40, 80),
        figure="l1d.read_misses",
        unit="misses",
        options={"l1d.index": "linear"},
        follow={"l1d.line_bytes": 64},
    )
    yield Row(
        what="rows opened a load: chain through the pieces of rows",
        program="latency",
        kernel="past_l1",
        formula="1 / 2 ^ map.column_bits",
        expected=lambda m: 1 / forms.pieces_of_row(m)[0],
        point=row_hits,
        figure="dram.activates",
        unit="activates",
        follow={"map.column_bits": 3},
    )


def latency():
    yield from latencies()
    yield from dram_latencies()
    yield from capacities()
