#!/bin/sh
# Protects cudaSetCTATracker: a program's description of its blocks' data covers the same number of requests as the
# analysis of its kernels. Neither changes a result.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"

# run NAME WORD [OPTION]: runs the program with that argument. Its counters are written to $work/NAME.
run() {
	tried="the program with '$2'"
	LD_PRELOAD=$preload "$sluice" run ${3:+"--mech=$3"} --stats="$work/$1.json" -- "$work/program" "$2" >"$work/out" \
		2>"$work/err" || fail "exit status $?"
	"$sluice" stats --counters "$work/$1.json" >"$work/$1"
}

# total NAME COUNTER: the sum over all kernels.
total() {
	awk -v name="$2" '$1 == name { sum += $2; found = 1 } END { print found ? sum : "none" }' "$work/$1"
}

same() {
	[ "$(total calls "$1")" = "$(total automatic "$1")" ] ||
		fail "$1: $(total calls "$1") by calls, $(total automatic "$1") by analysis"
}

try 0 cc -O1 -I "$source_dir/tests/cuda" "$source_dir/tests/cuda/cta_tracker.cu" -o "$work/program"
run calls calls teleport:model=R
silent err
run automatic nothing teleport:model=R
silent err
run without calls
silent err
run errors errors teleport:model=I,field_bits=64
says err "cudaSetCTATracker: announced range: 0x0 is in no allocation"
says err "cudaSetCTATracker: an element of 0 bytes"

same teleport.demand
same teleport.demand_hits
same teleport.issued
same teleport.largest_block_bytes
same teleport.rows
tried="coverage"
[ "$(total calls teleport.demand_hits)" -gt $(($(total calls teleport.demand) / 2)) ] || fail "less than half"
[ "$(total without teleport.demand)" = none ] || fail "counters of a mechanism that is not attached"
[ "$(total without sm.warp_instructions)" = "$(total calls sm.warp_instructions)" ] || fail "other instructions"
# After the errors one range remains, in which the mask selects all bytes for every block.
[ "$(total errors teleport.kernels_without_rows)" = 0 ] || fail "the range is lost"

finish
