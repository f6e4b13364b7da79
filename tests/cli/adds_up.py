"""Checks that a profile's figures, summed over all instructions of each kernel, equal the statistics of the same run.

Usage: adds_up.py PROFILE STATS [-]. The cycle stack is compared cause by cause. "-" skips the SM's caches, for
mechanisms that reply in their place.
"""
import json
import sys

profile, stats = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
assert profile["profile"] == 1 and profile["program"] == stats["program"] and profile["machine"] == stats["machine"]
launches = {}
for launch in stats["kernels"]:
    launches.setdefault(launch["name"], []).append(launch)
assert [kernel["name"] for kernel in profile["kernels"]] == list(launches), "kernels"
for kernel in profile["kernels"]:
    mine = launches[kernel["name"]]
    assert kernel["launches"] == len(mine) and kernel["cycles"] == sum(launch["cycles"] for launch in mine)
    counted = lambda *names: sum(launch["counters"][name] for launch in mine for name in names)
    code = kernel["instructions"]
    assert [inst["index"] for inst in code] == list(range(len(code)))
    over_code = lambda name: sum(inst.get(name, 0) for inst in code)
    over_all = lambda name: over_code(name) + kernel["no_instruction"].get(name, 0)
    assert over_code("issues") == counted("sm.warp_instructions") == counted("sm.stack_issued") == kernel["issued"]
    assert over_code("lanes") == counted("sm.thread_instructions")
    assert over_code("diverged") == counted("sm.divergent_branches")
    assert kernel["idle"] == counted("sm.stack_idle")
    for name in (name for name in mine[0]["counters"] if name.startswith("sm.stack_")):
        cause = name[len("sm.stack_"):]
        if cause not in ("issued", "idle"):
            assert sum(inst.get("waits", {}).get(cause, 0) for inst in code) == counted(name), name
    if "-" not in sys.argv[3:]:
        caches = [cache for cache in ("l1d", "l1c", "l1t")]
        assert over_code("l1_accesses") == counted(*(cache + ".accesses" for cache in caches))
        assert over_code("l1_hits") == counted(*(cache + ".hits" for cache in caches))
    assert over_all("l2_accesses") == counted("l2.accesses") and over_all("l2_hits") == counted("l2.hits")
    moved = stats["configuration"]["dram.atom_bytes"] * counted("dram.reads", "dram.writes")
    assert 0.5 * moved <= over_all("dram_bytes") <= moved, (over_all("dram_bytes"), moved)
