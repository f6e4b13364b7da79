#!/bin/sh
# sluice stats: the declarations of counters, and stored statistics as a table.
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

printf '{"version": 1,\n "kernels": }\n' >"$work/s.json"
try 2 stats "$work/s.json"
says err "s.json:2:"
echo '{"version": 2}' >"$work/s.json"
try 2 stats "$work/s.json"
says err "not statistics of version 1"

finish
