"""Closed forms: what the model says that things cost, from a machine's options. docs/explanation/timing-model.md has the words."""

import math
import subprocess

FEMTOSECONDS = 10**9  # a period, times MHz
HEADER = 8  # bytes of a packet besides its data


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
    """Cycles in which a collector gets its operands: one each, or as many as the busiest of their banks has."""
    return operands - (banks or operands) + 1 if m["sm.collectors_read_many"] else operands


def chain(m, kind, operands):
    """Two dependent instructions: collector, operands, unit, its latency, and two cycles to enter and leave it. Of three operands two
    are one register."""
    return m[f"latency.{kind}"] + gather(m, operands, min(operands, 2)) + 5


def to_lsu(m, operands=1, banks=None):
    """Issue to the load/store unit's first access. A store of a register to where it points reads one bank twice."""
    return gather(m, operands, banks) + 3 + m["sm.lsu_takes_late"]


def sp_rate(m, initiation, instructions, loop):
    """Cycles a warp of a body that waits for nothing: the narrowest place. The loop takes SP slots too."""
    count = instructions + loop
    pipe = max(1 / m[f"sm.sp.{port}"] for port in ("issue_width", "in_ports", "out_ports"))
    units = (instructions * initiation + loop) / m["sm.sp.units"]
    front = max(1 / m["sm.schedulers"], fetch(m), pipe, 1 / m["sm.result_bus"])
    return max(count * front, units)


def rate(m, pipe, initiation, instructions, loop):
    """The same of instructions that run on SP, on SFU, or on either."""
    if pipe == "sp":
        return sp_rate(m, initiation, instructions, loop)
    units = m["sm.sfu.units"] + (m["sm.sp.units"] if pipe == "either" else 0)
    return max(instructions * initiation / units, sp_rate(m, 0, instructions, loop))


def fetch(m):
    """Cycles an instruction when one warp after another fetches."""
    return 8 / m["sm.fetch_bytes"]


def fetch_alone(m):
    """A warp alone: a fetch, a cycle for decoding, then its instructions."""
    per_fetch = m["sm.fetch_bytes"] // 8
    return (per_fetch + 1) / per_fetch


def l1_hit(m):
    return to_lsu(m) + m["sm.l1_latency"]


def shared(m, degree=1):
    return to_lsu(m) + 1 + m["sm.shared_latency"] + degree - 1


def degree(m, stride_words, words=1):
    """The most words that a bank of shared memory is asked for; lanes of one word share it."""
    asked = {lane * stride_words + word for lane in range(32) for word in range(words)}
    banks = [word % m["sm.shared_banks"] for word in asked]
    return max(banks.count(bank) for bank in set(banks))


# --- the networks ---


def flits(m, data):
    return math.ceil((HEADER + data) / m["network.flit_bytes"])


def crossing(m, data):
    """A packet alone: from the producer's port to its being seen by the consumer."""
    return 8 + flits(m, data) - 1 - (m["network.speedup"] > 1)


def packet_time(m, data):
    """Packets behind each other: a router that allocates once a cycle loses one when the packet changes."""
    return flits(m, data) + (m["network.speedup"] == 1)


# --- L2 ---


def parts(m, data):
    """Requests that L2 makes of one: its sectors, or the one."""
    return max(1, data // (m["l2.line_bytes"] // m["l2.sectors"])) if m["l2.by_sectors"] else 1


def port(m, data):
    """Cycles that a hit holds the data port."""
    return math.ceil(data / m["l2.port_bytes"])


def reply_time(m, data):
    """Cycles between two answers of one slice to one SM."""
    n = parts(m, data)
    return n * max(packet_time(m, data // n), port(m, data // n))


def reply(m, data):
    """L2's answer on its way: of an answer by parts, the last."""
    n = parts(m, data)
    return crossing(m, data // n) + (n - 1) * max(packet_time(m, data // n), port(m, data // n))


SEEN_TO_WRITTEN = 2  # the answer is served, then its register is written


def to_l2(m, through_l1):
    """Issue to L2's being asked."""
    return to_lsu(m) + through_l1 * (m["sm.l1_latency"] + 1) + crossing(m, 0) + m["l2.delay"] + 1


def l2_hit(m, data, through_l1):
    return to_l2(m, through_l1) + 1 + reply(m, data) + SEEN_TO_WRITTEN


def instruction_miss(m):
    line = m["l1i.line_bytes"]
    return crossing(m, 0) + m["l2.delay"] + 1 + 1 + reply(m, line) + (not m["sm.fetch_hands_over"])


def store_and_fence(m):
    """Store, its acknowledgement, and the fence that waited for it: 32 bytes there, none back."""
    there = to_lsu(m, 2, 1) + m["sm.l1_latency"] + 1 + crossing(m, 32) + m["l2.delay"] + 1
    return there + 1 + crossing(m, 0)


def atomic(m, pieces):
    """One warp's atomic of so many pieces, of which each is a packet there and one back."""
    data = m["sm.atomic_bytes"]
    alone = to_lsu(m) + crossing(m, data) + m["l2.delay"] + 1 + 1 + crossing(m, data) + 1
    return alone + (pieces - 1) * atomic_time(m)


def atomic_time(m):
    data = m["sm.atomic_bytes"]
    return max(packet_time(m, data), port(m, data))


# --- DRAM ---


def columns(m, data):
    """Column commands of a read: L2 fetches whole lines, or the sectors that were asked for."""
    fetched = data if m["l2.by_sectors"] else m["l2.line_bytes"]
    return parts(m, fetched) * math.ceil(fetched // parts(m, fetched) / m["dram.atom_bytes"])


def column_time(m):
    return max(m["dram.tCCD"], m["dram.tCCDL"])


def dram_commands(m, data, conflict):
    """First command to the last data of one read in an idle bank; `conflict`: another row of the bank is open."""
    row = m["dram.tRP"] + m["dram.tRCD"] if conflict else 0
    return row + (columns(m, data) - 1) * column_time(m) + m["dram.tCL"]


def dram_walk(m, there, commands, back):
    """Mean cycles of a chain of requests to DRAM: `there` core cycles to its port, `commands` DRAM cycles (a list that
    repeats), `back` core cycles. Between the clocks a request waits for the other one's next tick, so it is walked."""
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
    """A chain of loads that DRAM answers. `conflicts` repeats: whether a node's row is another than the one before."""
    back = 2 + crossing(m, data // parts(m, data)) + SEEN_TO_WRITTEN
    commands = [dram_commands(m, data, conflict) for conflict in conflicts]
    return dram_walk(m, to_l2(m, through_l1) + 1, commands, back)


def dram_write_link(m):
    """A chain of stores of 32 bytes that L2 sends on, each to another row, and fences."""
    there = to_lsu(m, 2, 1) + m["sm.l1_latency"] + 1 + crossing(m, 32) + m["l2.delay"] + 1
    return dram_walk(m, there + 1, [m["dram.tRP"] + m["dram.tRCDWR"] + m["dram.tWL"]], 1 + crossing(m, 0))


def rows_read(m, data):
    """DRAM cycles from activate to activate of one bank that reads another row each time."""
    last = m["dram.tRCD"] + (columns(m, data) - 1) * column_time(m)
    precharge = max(m["dram.tRAS"], last + max(m["dram.tRTP"], m["dram.tRTPL"]))
    return max(m["dram.tRC"], precharge + m["dram.tRP"])


def rows_written(m, data):
    """The same of writes. Where a write miss fetches, the line is read behind the write, from the row that is open."""
    last = m["dram.tRCDWR"] + (math.ceil(data / m["dram.atom_bytes"]) - 1) * column_time(m)
    precharge = max(m["dram.tRAS"], last + m["dram.tWTP"])
    if m["l2.write_miss"] == "fetch":
        read = last + m["dram.tWTR"] + (columns(m, data) - 1) * column_time(m)
        precharge = max(precharge, read + max(m["dram.tRTP"], m["dram.tRTPL"]))
    return max(m["dram.tRC"], precharge + m["dram.tRP"])


def rows_of_banks(m, banks, data):
    """DRAM cycles a line when each is in another bank and row."""
    return max(m["dram.tRRD"], rows_read(m, data) / banks, columns(m, data) * m["dram.tCCD"])


# --- coalescing ---


def segments(size, stride, offset):
    """Transactions of a warp's access: (address, bytes) of each, shrunk to the half or quarter in use."""
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


# --- where addresses lie ---


def row_bytes(m):
    """How far apart two rows of one bank are."""
    spread = m["map.channels"] * m["map.interleave_bytes"] * m["map.banks"]
    return spread << m["map.column_bits"]


def pieces_of_row(m):
    """Pieces of a row, and how far apart they are: slice and lowest bank bit stay."""
    low_banks = max(2, m["map.slices_per_channel"])
    return 1 << m["map.column_bits"], m["map.channels"] * m["map.interleave_bytes"] * low_banks


def slices(m):
    return m["map.channels"] * m["map.slices_per_channel"]
