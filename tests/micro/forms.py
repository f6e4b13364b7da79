"""Closed forms of the costs in the timing model, computed from a machine's options. docs/explanation/timing-model.md explains them."""

import math
import subprocess

FEMTOSECONDS = 10**9  # a period, times MHz
HEADER = 8  # bytes of a packet in addition to its data


class Machine:
    """The options of a machine, by their full names: machine["dram.tCL"]."""

    def __init__(self, sluice, name, options):
        self.name = name
        self.options = {}
        command = [str(sluice), "machine", "show"]
        for key, value in options.items():
            command += ["-o", f"{key}={value}"]
        shown = subprocess.run([*command, name], capture_output=True, text=True, check=True).stdout
        path = []
        for line in shown.splitlines():
            key, _, value = line.strip().partition(":")
            depth = (len(line) - len(line.lstrip())) // 2
            path = path[:depth] + [key]
            if value:
                self.options[".".join(path)] = self.typed(value.strip().strip("'"))

    @staticmethod
    def typed(text):
        if text in ("true", "false"):
            return text == "true"
        return int(text) if text.isdigit() else text

    def __getitem__(self, key):
        return self.options[key]

    def period(self, domain):
        return round(FEMTOSECONDS / self[f"clock.{domain}"])


# --- the SM ---


def gather(m, operands, banks=None):
    """Cycles in which a collector reads its operands: one each, or the number in the busiest of their banks."""
    return operands - (banks or operands) + 1 if m["sm.collectors_read_many"] else operands


def chain(m, kind, operands):
    """Two dependent instructions: collector, operands, unit, its latency, and two cycles to enter and leave it. With
    three operands, two are the same register.
    """
    return m[f"latency.{kind}"] + gather(m, operands, min(operands, 2)) + 5


def to_lsu(m, operands=1, banks=None):
    """Cycles from issue to the load/store unit's first access. A store of a register to the address in it reads one
    bank twice.
    """
    return gather(m, operands, banks) + 3 + m["sm.lsu_takes_late"]


def sp_rate(m, initiation, instructions, loop):
    """Cycles per warp of a body without waits: the narrowest stage. The loop uses SP slots too."""
    count = instructions + loop
    pipe = max(1 / m[f"sm.sp.{port}"] for port in ("issue_width", "in_ports", "out_ports"))
    units = (instructions * initiation + loop) / m["sm.sp.units"]
    front = max(1 / m["sm.schedulers"], fetch(m), pipe, 1 / m["sm.result_bus"])
    return max(count * front, units)


def rate(m, pipe, initiation, instructions, loop):
    """Cycles per warp of instructions that run on SP, on SFU, or on either."""
    if pipe == "sp":
        return sp_rate(m, initiation, instructions, loop)
    units = m["sm.sfu.units"] + (m["sm.sp.units"] if pipe == "either" else 0)
    return max(instructions * initiation / units, sp_rate(m, 0, instructions, loop))


def fetch(m):
    """Cycles per instruction when warps fetch in turn."""
    return 8 / m["sm.fetch_bytes"]


def fetch_alone(m):
    """Cycles per instruction of a single warp: a fetch, a cycle for decoding, then the fetched instructions."""
    per_fetch = m["sm.fetch_bytes"] // 8
    return (per_fetch + 1) / per_fetch


def l1_hit(m):
    return to_lsu(m) + m["sm.l1_latency"]


def shared(m, degree=1):
    return to_lsu(m) + 1 + m["sm.shared_latency"] + degree - 1


def degree(m, stride_words, words=1):
    """The largest number of words requested from one bank of shared memory; lanes that access one word share it."""
    asked = {lane * stride_words + word for lane in range(32) for word in range(words)}
    banks = [word % m["sm.shared_banks"] for word in asked]
    return max(banks.count(bank) for bank in set(banks))


# --- the networks ---


def flits(m, data):
    return math.ceil((HEADER + data) / m["network.flit_bytes"])


def crossing(m, data):
    """Latency of a packet in an idle network: from the producer's port to the consumer."""
    return 8 + flits(m, data) - 1 - (m["network.speedup"] > 1)


def packet_time(m, data):
    """Time per packet of consecutive packets: a router that allocates once per cycle loses a cycle at each packet
    change.
    """
    return flits(m, data) + (m["network.speedup"] == 1)


# --- L2 ---


def parts(m, data):
    """Requests that L2 makes from one request: one per sector, or a single one."""
    return max(1, data // (m["l2.line_bytes"] // m["l2.sectors"])) if m["l2.by_sectors"] else 1


def port(m, data):
    """Cycles that a hit holds the data port."""
    return math.ceil(data / m["l2.port_bytes"])


def reply_time(m, data):
    """Cycles between two replies of one slice to one SM."""
    n = parts(m, data)
    return n * max(packet_time(m, data // n), port(m, data // n))


def reply(m, data):
    """Transit time of an L2 reply; if it has several parts, that of the last part."""
    n = parts(m, data)
    return crossing(m, data // n) + (n - 1) * max(packet_time(m, data // n), port(m, data // n))


SEEN_TO_WRITTEN = 2  # the reply is processed, then its register is written


def to_l2(m, through_l1):
    """Cycles from issue to the L2 lookup."""
    return to_lsu(m) + through_l1 * (m["sm.l1_latency"] + 1) + crossing(m, 0) + m["l2.delay"] + 1


def l2_hit(m, data, through_l1):
    return to_l2(m, through_l1) + 1 + reply(m, data) + SEEN_TO_WRITTEN


def instruction_miss(m):
    line = m["l1i.line_bytes"]
    return crossing(m, 0) + m["l2.delay"] + 1 + 1 + reply(m, line) + (not m["sm.fetch_hands_over"])


def store_and_fence(m):
    """A store, its acknowledgement, and the fence that waited for it: 32 bytes of data forth, none back."""
    there = to_lsu(m, 2, 1) + m["sm.l1_latency"] + 1 + crossing(m, 32) + m["l2.delay"] + 1
    return there + 1 + crossing(m, 0)


def atomic(m, pieces):
    """One warp's atomic of this many pieces; each piece is one packet forth and one back."""
    data = m["sm.atomic_bytes"]
    alone = to_lsu(m) + crossing(m, data) + m["l2.delay"] + 1 + 1 + crossing(m, data) + 1
    return alone + (pieces - 1) * atomic_time(m)


def atomic_time(m):
    data = m["sm.atomic_bytes"]
    return max(packet_time(m, data), port(m, data))


# --- DRAM ---


def columns(m, data):
    """Column commands of a read: L2 fetches whole lines, or the requested sectors."""
    fetched = data if m["l2.by_sectors"] else m["l2.line_bytes"]
    return parts(m, fetched) * math.ceil(fetched // parts(m, fetched) / m["dram.atom_bytes"])


def column_time(m):
    return max(m["dram.tCCD"], m["dram.tCCDL"])


def dram_commands(m, data, conflict):
    """DRAM cycles from the first command to the last data of one read in an idle bank; `conflict`: another row of the
    bank is open.
    """
    row = m["dram.tRP"] + m["dram.tRCD"] if conflict else 0
    return row + (columns(m, data) - 1) * column_time(m) + m["dram.tCL"]


def dram_walk(m, there, commands, back):
    """Mean cycles of a chain of requests to DRAM: `there` core cycles to its port, `commands` DRAM cycles (a list that
    repeats), `back` core cycles. At a clock crossing a request waits for the other clock's next tick, so the chain is
    walked.
    """
    core, dram = m.period("core"), m.period("dram")
    now, links = 0, 40 * len(commands)
    for i in range(links):
        accepted = (now + there) * core // dram + 1
        ready = -(-accepted * dram // core) + m["dram.latency"]
        entered = (ready - 1) * core // dram + 1
        returned = entered + 1 + commands[i % len(commands)] + 1
        now = returned * dram // core + 1 + back
    return now / links


def dram_link(m, data, through_l1, conflicts):
    """A chain of loads that DRAM serves. `conflicts` repeats: true if a node's row differs from the previous node's."""
    back = 2 + crossing(m, data // parts(m, data)) + SEEN_TO_WRITTEN
    commands = [dram_commands(m, data, conflict) for conflict in conflicts]
    return dram_walk(m, to_l2(m, through_l1) + 1, commands, back)


def dram_write_link(m):
    """A chain of 32-byte stores that L2 forwards, each to another row, and fences."""
    there = to_lsu(m, 2, 1) + m["sm.l1_latency"] + 1 + crossing(m, 32) + m["l2.delay"] + 1
    return dram_walk(m, there + 1, [m["dram.tRP"] + m["dram.tRCDWR"] + m["dram.tWL"]], 1 + crossing(m, 0))


def rows_read(m, data):
    """DRAM cycles from activate to activate of one bank that reads another row each time."""
    last = m["dram.tRCD"] + (columns(m, data) - 1) * column_time(m)
    precharge = max(m["dram.tRAS"], last + max(m["dram.tRTP"], m["dram.tRTPL"]))
    return max(m["dram.tRC"], precharge + m["dram.tRP"])


def rows_written(m, data):
    """The same for writes. If a write miss fetches, the line is read after the write, from the open row."""
    last = m["dram.tRCDWR"] + (math.ceil(data / m["dram.atom_bytes"]) - 1) * column_time(m)
    precharge = max(m["dram.tRAS"], last + m["dram.tWTP"])
    if m["l2.write_miss"] == "fetch":
        read = last + m["dram.tWTR"] + (columns(m, data) - 1) * column_time(m)
        precharge = max(precharge, read + max(m["dram.tRTP"], m["dram.tRTPL"]))
    return max(m["dram.tRC"], precharge + m["dram.tRP"])


def rows_of_banks(m, banks, data):
    """DRAM cycles per line when each line is in another bank and row."""
    return max(m["dram.tRRD"], rows_read(m, data) / banks, columns(m, data) * m["dram.tCCD"])


# --- coalescing ---


def segments(size, stride, offset):
    """Transactions of a warp's access: (address, bytes) of each, reduced to the half or quarter in use."""
    whole = {1: 32, 2: 64}.get(size, 128)
    touched = {}
    for lane in range(32):
        first = offset + lane * stride
        touched.setdefault(first // whole * whole, []).append((first, first + size))
    result = []
    for base, ranges in sorted(touched.items()):
        low, high, bytes_ = min(r[0] for r in ranges), max(r[1] for r in ranges), whole
        while bytes_ > 32:
            middle = base + bytes_ // 2
            if low < middle < high:
                break
            bytes_ //= 2
            base = middle if low >= middle else base
        result.append((base, bytes_))
    return result


# --- address mapping ---


def row_bytes(m):
    """Distance in bytes between two rows of one bank."""
    spread = m["map.channels"] * m["map.interleave_bytes"] * m["map.banks"]
    return spread << m["map.column_bits"]


def pieces_of_row(m):
    """The number of pieces in a row and their distance in bytes: slice and lowest bank bit do not change."""
    low_banks = max(2, m["map.slices_per_channel"])
    return 1 << m["map.column_bits"], m["map.channels"] * m["map.interleave_bytes"] * low_banks


def slices(m):
    return m["map.channels"] * m["map.slices_per_channel"]
