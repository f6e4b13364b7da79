"""Generates input for tests of `sluice report`: result files with many runs, statistics and profiles with known values."""
import json
import random
import sqlite3

CAUSES = ["issued", "arithmetic", "shared", "l1", "l2", "dram", "barrier", "held", "replayed", "conflict", "no_instruction", "idle"]
PROGRAMS = ["matmul", "bfs", "backprop", "scan", "transpose", "histogram", "fft", "srad"]
MACHINES = ["gtx480", "gtx480-caps", "sharing-14sm"]
MECHANISMS = ["", "caps", "sharing owf", "teleport:buffer_kb=16"]

COLUMNS = ["program", "variant", "size", "seed", "arguments", "machine", "options", "mechanisms", "library", "binary", "description", "verdict",
           "output", "stats", "revision", "finished", "seconds"]


def kernel(name, cycles, stack, counters, launch=1, demangled=None):
    """A launch in the format of the statistics."""
    return {"name": name, "demangled": demangled or f"{name}(float*)", "launch": launch, "ended": "done", "grid": [15, 1, 1], "block": [256, 1, 1],
            "registers": 20, "spill_bytes": 0, "shared_bytes": 1024, "blocks_per_sm": 6, "cycles": cycles, "thread_instructions": 32 * 1000,
            "warp_instructions": 1000, "ipc": 32000 / cycles, "host_seconds": 0.25, "cycle_stack": stack, "counters": counters}


def in_stream(launch, stream, started, first_block=None):
    """The launch in a stream, alone."""
    return launch | {"stream": stream, "started": started, "first_block": started if first_block is None else first_block}


def in_session(launch, number):
    """The launch as one of a session: only its cycles and instructions are known."""
    return launch | {"session": number, "cycle_stack": dict.fromkeys(launch["cycle_stack"]), "counters": dict.fromkeys(launch["counters"])}


def session(number, launches, started, cycles, stack, counters):
    """What the launches of a session counted together."""
    return {"session": number, "launches": launches, "ended": "done", "started": started, "cycles": cycles, "thread_instructions": 32 * 1000,
            "warp_instructions": 1000, "ipc": 32000 / cycles, "host_seconds": 0.25, "cycle_stack": stack, "counters": counters}


def statistics(program, kernels, machine="gtx480", mechanisms=(), configuration=None, **more):
    """A run's statistics, without totals, which the report does not need."""
    return {"ended": "exit 0", "version": 1, "sluice": "0.1.0", "program": [f"./{program}"], "machine": machine, "options": [],
            "mechanisms": list(mechanisms), "observers": [], "checks": None, "functional": False, "threads": 1, "max_instructions": None,
            "configuration": {"name": machine, "sm.count": 15, "clock.core": 700, "dram.atom_bytes": 32} | (configuration or {}), "kernels": kernels, **more}


def some_counters(chance, count):
    """The machine's counters from which metrics are derived, and others up to `count`."""
    accesses = chance.randrange(1000, 100000)
    hits = chance.randrange(accesses)
    own = {"l1d.accesses": accesses, "l1d.hits": hits, "l1d.misses": accesses - hits, "l2.accesses": accesses - hits, "l2.hits": (accesses - hits) // 2,
           "dram.reads": accesses, "dram.writes": hits}
    return own | {f"made.up_{i}": chance.randrange(10**chance.randrange(7)) for i in range(count - len(own))}


def store(path, runs, counters=300, kernels=2):
    """A file of `count` runs. Machine sizes differ, and one run in 50 was cut."""
    chance = random.Random(1)
    database = sqlite3.connect(path)
    database.execute(f"create table runs (id integer primary key, {', '.join(COLUMNS)}, more_than_today text)")
    for i in range(runs):
        program, machine, mechanisms = PROGRAMS[i % len(PROGRAMS)], chance.choice(MACHINES), chance.choice(MECHANISMS)
        launches = []
        for k in range(kernels):
            stack = {cause: chance.randrange(1, 10000) for cause in CAUSES}
            launches.append(kernel(f"{program}_{k}", sum(stack.values()) // 30, stack, some_counters(chance, counters), launch=k + 1))
        stats = statistics(program, launches, machine, mechanisms.split(), {"sm.count": 1 + i % 16}) | {"options": [f"sm.count={1 + i % 16}"]}
        values = [program, "plain", chance.choice(["tiny", "small"]), 1, "", machine, f"sm.count={1 + i % 16}", mechanisms, "11", "22", "33",
                  "cut" if i % 50 == 0 else "PASS", "", json.dumps(stats), "abcdef", "2026-01-02 03:04:05", 0.5]
        database.execute(f"insert into runs ({', '.join(COLUMNS)}) values ({', '.join('?' * len(COLUMNS))})", values)
    database.execute("pragma user_version = 99")
    database.commit()
    database.close()


def profile(waits, kernel_name="add(float*)"):
    """A profile of a kernel with two loads and a store. `waits` has the waiting slots by line and cause: {3: {"dram":
    100}}.
    """
    source = ["__global__ void add(float *x)", "{", "\tfloat a = x[0];", "\tfloat b = x[1]; // <b>not bold</b>", "\tx[2] = a + b;", "}"]
    texts = {3: "ld.global.f32 %f1, [%rd1];", 4: "ld.global.f32 %f2, [%rd1+4];", 5: "st.global.f32 [%rd1+8], %f3;"}
    instructions = [{"index": i, "ptx_line": 10 + i, "file": "a.cu", "line": line, "text": text, "issues": 100, "lanes": 3200, "waits": waits.get(line, {}),
                     "transactions": 400, "l1_hits": 30, "l1_accesses": 40, "latency_mean": 210.5, "something_new": "as it is"}
                    for i, (line, text) in enumerate(texts.items())]
    # A second instruction of the first line, with three of four of the line's replies. Other instructions waited for
    # both.
    instructions[0] |= {"answers": 100, "waited_for_by": [{"index": 2, "slots": 70}]}
    instructions.append({"index": 3, "ptx_line": 20, "file": "a.cu", "line": 3, "text": "ld.global.f32 %f4, [%rd2];", "issues": 10, "lanes": 320, "waits": {},
                         "answers": 300, "latency_mean": 410.5, "latency_p95": 500, "waited_for_by": [{"index": 2, "slots": 5}, {"index": 1, "slots": 8}]})
    return {"profile": 1, "program": ["./add"], "machine": "gtx480", "kernels": [
        {"name": "add", "demangled": kernel_name, "launches": 1, "cycles": 1000, "instructions": instructions, "source": {"a.cu": source}}]}
