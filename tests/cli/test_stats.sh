#!/bin/sh
# Protects `sluice stats`: the declarations of counters, and stored statistics as a table.
set -u
. "$(dirname "$0")/lib.sh"

try 0 stats --describe
says out "l1d.accesses"
silent err

cat >"$work/s.json" <<'JSON'
{"ended": "exit 0", "version": 1, "sluice": "0.1.0", "machine": "gtx480", "program": ["./a"],
 "kernels": [{"name": "_Z5saxpyv", "demangled": "saxpy()", "grid": [60, 1, 1], "block": [256, 2, 1], "cycles": 1000, "warp_instructions": 171040,
              "ipc": 137.5, "counters": {"l1d.accesses": 49152}}]}
JSON
try 0 stats "$work/s.json"
says out "machine gtx480, exit 0"
grep -qE '^saxpy\(\) +60x1x1 +256x2x1 +1000 +171040 +137.500$' "$work/out" || fail "expected the kernel's row"
! grep -q l1d.accesses "$work/out" || fail "expected no counters"
try 0 stats --counters "$work/s.json"
grep -qE '^ +l1d.accesses +49152$' "$work/out" || fail "expected the counter"

# Kernels that ran together: the session's cycles, and its counters, follow the launches.
cat >"$work/together.json" <<'JSON'
{"ended": "exit 0", "version": 1, "machine": "m",
 "kernels": [{"name": "k", "demangled": "k()", "grid": [1, 1, 1], "block": [1, 1, 1], "cycles": 70, "warp_instructions": 10, "ipc": 1, "session": 1,
  "counters": {"l1d.accesses": null}},
  {"name": "k", "demangled": "k()", "grid": [1, 1, 1], "block": [1, 1, 1], "cycles": 60, "warp_instructions": 10, "ipc": 1, "session": 1,
  "counters": {"l1d.accesses": null}}],
 "sessions": [{"session": 1, "launches": [1, 2], "cycles": 80, "warp_instructions": 20, "ipc": 0.25, "counters": {"l1d.accesses": 7}}]}
JSON
try 0 stats --counters "$work/together.json"
grep -qE '^launches 1 to 2 together +80 +20 +0.250$' "$work/out" || fail "expected the session"
[ "$(grep -cE 'l1d.accesses +7$' "$work/out")" = 1 ] || fail "expected the session's counter"

# Loads: each mechanism's requests next to the demand accesses of l1_by_load. A load that only one of them recorded has
# dashes for the other.
try 0 stats --loads "$work/s.json"
says out "no mechanism that prefetches, and no l1_by_load"
cat >"$work/loads.json" <<'JSON'
{"ended": "exit 0", "version": 1, "machine": "m",
 "kernels": [{"name": "k", "demangled": "k pc 1 line 1()", "grid": [1, 1, 1], "block": [1, 1, 1], "cycles": 1, "warp_instructions": 1, "ipc": 1,
  "loads": {"cap": [{"pc": 7, "line": 3, "issued": 8, "useful": 4, "late": 2, "early_evicted": 1, "redundant": 1, "prefetch_distance": 90, "late_wait": 5},
                    {"pc": 40, "line": null, "issued": 0, "useful": 0, "late": 0, "early_evicted": 0, "redundant": 0, "prefetch_distance": 0, "late_wait": 0}]},
  "vectors": {"l1_by_load.accesses": {"labels": ["k pc 1 line 1() pc 12 line 4", "k pc 1 line 1() pc 7 line 3"], "values": [10, 40]},
              "l1_by_load.misses": {"values": [5, 10]}, "l1_by_load.first_uses": {"values": [0, 6]}}}]}
JSON
try 0 stats --loads "$work/loads.json"
grep -qE '^ +3 +7 +40 +25.0 +37.5 +8 +4 +2 +1 +75.0 +15.0 +2.5$' "$work/out" || fail "expected the load at pc 7"
grep -qE '^ +4 +12 +10 +50.0 +0.0 +0 +0 +0 +0 +- +- +-$' "$work/out" || fail "expected the load that nothing was sent for"
grep -qE '^ +0 +40 +- +- +- +0 +0 +0 +0 +- +- +-$' "$work/out" || fail "expected the load of which only the account knows"
[ "$(grep -cE '^ +[0-9]' "$work/out")" = 3 ] || fail "expected three loads"

printf '{"version": 1,\n "kernels": }\n' >"$work/s.json"
try 2 stats "$work/s.json"
says err "s.json:2:"
echo '{"version": 2}' >"$work/s.json"
try 2 stats "$work/s.json"
says err "not statistics of version 1"

finish
