#!/bin/sh
# Protects `sluice stats --limits`: kernels with a known use of a unit have the use, the operations, the bytes and the
# findings that follow from their code; a bound holds for the kernel without the finding; names select kernels.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
cd "$work" || exit 1
cp "$source_dir/tests/cli/limits_kernels.cu" .
try 0 cc -O3 limits_kernels.cu -o kernels
limits() { # limits NAME RUN-OPTION...: limits of the run as NAME.limits
	name=$1
	shift
	try_program 0 run "$@" --stats "$name.json" -- ./kernels
	try 0 stats --limits --json "$name.json"
	cp "$work/out" "$name.limits"
}
limits fermi
limits fermi_units --units
limits volta -m qv100 -o sm.count=15
limits wide_volta -m qv100 --kernel copy

python3 - >out 2>err <<'PY' || fail "$(tail -1 err)"
import json

def load(name):
    rows = json.load(open(name + ".limits"))
    return [row for row in rows if row["of"] == "kernel"], json.load(open(name + ".json"))

def used(row):
    return {unit["unit"]: unit["used"] for unit in row["limits"]["use"]}

def count(row, name):
    return next(unit["count"] for unit in row["limits"]["use"] if unit["unit"] == name)

def rules(row):
    return {rule["name"]: rule for rule in row["limits"]["rules"]}

def is_near(value, wanted, what):
    assert abs(value - wanted) <= 1e-6 * abs(wanted), f"{what}: {value}, expected {wanted}"

warps = 15 * 6 * 8  # of the grids of 90 blocks of 256 threads
for name in ["fermi", "fermi_units", "volta"]:
    rows, run = load(name)
    fma, copy, conflict, no_conflict, wide, columns, halves, small = rows
    sms, core = run["configuration"]["sm.count"], run["configuration"]["clock.core"] * 1e6
    for row in rows:
        main = row["limits"]["rules"][0]
        assert main["name"] in ("throughput", "latency") and all(rule["gain"] >= 1 for rule in row["limits"]["rules"])
        assert all(0 <= value <= 1 for value in used(row).values())
        busiest = max(used(row).values())
        is_near(main["measured"], busiest, "the busiest unit")
        is_near(main["gain"], 1 / busiest, "its bound")

    # operations: a multiply-add is two, and the sum at the end at most 8
    fp32 = fma["limits"]["roofline"]["compute"][0]
    threads, most = 32 * warps, 16 * 32 * 8 * 2
    assert threads * most <= fp32["operations"] <= threads * (most + 8), fp32
    is_near(fp32["rate"], fp32["operations"] * core / fma["cycles"], "rate")
    lanes = 4 * 16 if name == "volta" else 2 * 32  # that an SM starts per cycle
    is_near(fp32["peak"], 2 * lanes * sms * core, "peak of FP32")
    assert name != "volta" or used(fma)["sp"] > 0.98, used(fma)

    # bytes: each lane reads and writes a word once
    links = {(link["from"], link["to"]): link["bytes"] for link in copy["limits"]["links"]}
    assert links["L1", "warps"] == links["warps", "L1"] == 4 << 20, links
    assert links["L2", "L1"] >= 4 << 20 and links["L1", "L2"] >= 4 << 20 and links["DRAM", "L2"] >= 4 << 20, links
    assert "uncoalesced accesses" not in rules(copy)
    dram = copy["limits"]["roofline"]["memory"][2]
    is_near(dram["peak"], {"volta": 32 * 32 / 1 * 850e6}.get(name, 6 * 64 / 2 * 924e6), "peak of DRAM")

    # bank conflicts: 32 words of one bank take 32 cycles, and 32 doubles take 2 without a conflict
    is_near(count(conflict, "shared"), warps * 100 * 32, "cycles with conflicts")
    is_near(count(no_conflict, "shared"), warps * 100, "cycles without")
    is_near(rules(conflict)["bank conflicts"]["measured"], warps * 100 * 31 / (sms * conflict["cycles"]), "conflicts")
    assert used(conflict)["shared"] > 0.95 and "bank conflicts" not in rules(no_conflict)
    is_near(count(wide, "shared"), 2 * warps * 100, "cycles of doubles")
    assert "bank conflicts" not in rules(wide), rules(wide)
    speedup = conflict["cycles"] / no_conflict["cycles"]
    assert 10 < speedup <= rules(conflict)["bank conflicts"]["gain"], "the bound of conflicts holds"

    # a load of 32 lines, where 1 line or 4 sectors would do, and a store without gaps
    each = 4 if name == "volta" else 1
    is_near(rules(columns)["uncoalesced accesses"]["measured"], 1 - 2 * each / (32 + each), "transactions")

    # every second lane works in the loop
    measured = rules(halves)["inactive lanes"]["measured"]
    counters = run["kernels"][6]["counters"]
    is_near(measured, 1 - counters["sm.thread_instructions"] / counters["sm.warp_instructions"] / 32, "lanes")
    assert 0.4 < measured < 0.5 and 1 <= rules(halves)["inactive lanes"]["gain"]

    # three blocks for 15 SMs
    assert 0.8 <= rules(small)["idle SMs"]["measured"] < 0.85 and 5 <= rules(small)["idle SMs"]["gain"] < 6
    assert "3 blocks for 15 SMs" in rules(small)["idle SMs"]["text"]
    occupancy = small["limits"]["occupancy"]
    assert occupancy["blocks_per_sm"] == 1 and "The grid is small" in rules(small)["occupancy"]["text"]
    is_near(occupancy["waves"], 3 / 15, "waves")
    for row, kernel in zip(rows, run["kernels"]):
        c, o = kernel["counters"], row["limits"]["occupancy"]
        is_near(o["achieved"], c["sm.resident_warp_cycles"] / c["sm.active_cycles"] / run["configuration"]["sm.warps"], "occupancy")
        assert o["achieved"] <= 1 and (kernel["blocks_per_sm"] < o["blocks_that_fit"] or o["achieved"] <= o["theoretical"] + 1e-9)

# counters by SM make bounds tighter, not wrong
plain, by_unit = load("fermi")[0], load("fermi_units")[0]
for one, other in zip(plain, by_unit):
    a, b = rules(one), rules(other)
    assert list(a) == list(b) and all(b[name]["gain"] <= a[name]["gain"] + 1e-9 for name in a)
copy = load("wide_volta")[0][0]
assert used(copy)["dram"] > 0.8 and "DRAM" in rules(copy)["throughput"]["text"], used(copy)
PY

try 0 stats --limits fermi.json stride
says out 'stride(int*, int, int), launch 3, '
says out '  bank conflicts         at most '
says out '  DRAM to L2             '
! grep -q 'multiply_add' "$work/out" || fail "another kernel"
! grep -q 'all launches' "$work/out" || fail "totals of chosen kernels"
try 0 stats --limits fermi.json
says out 'all launches, '
try 1 stats --limits fermi.json nothing
says err 'no kernel has that name'

# the report has the same numbers
try 0 report fermi.json -o fermi.html
python3 - >out 2>err <<'PY' || fail "$(tail -1 err)"
import json, re
page = json.loads(re.search(r'<script type="application/json" id="data">\n(.*?)</script>', open("fermi.html").read(), re.S)[1])
def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else float(f"{value:.6g}") if isinstance(value, float) else value
assert rounded(page["runs"][0]["limits"]) == rounded(json.load(open("fermi.limits"))), "other limits in the report"
PY

# no limits: a functional run, statistics of another version, a launch that ran with others
try_program 0 run --functional --stats functional.json -- ./kernels
try 1 stats --limits functional.json
says err 'it has no counters of cycles'
sed 's/"sm.sp_busy"/"sm.other"/g' fermi.json >old.json
try 1 stats --limits old.json
says err 'it has no counter sm.sp_busy: it is of another version of Sluice'
try 2 stats --json fermi.json
says err '--json is for --limits'
try 2 stats --limits --units fermi.json
finish
