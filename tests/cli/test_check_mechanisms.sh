#!/bin/sh
# What the checks say of a program is the same, to the letter, whatever mechanism is attached: one that copies blocks' tiles, prefetches,
# orders warps, shares shared memory or moves data by itself.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_CHECK
cd "$work" || exit 1

# told STATUS-FILE ARGUMENT...: what a run with all checks says; 0 and 1 are ends that checks make.
told() {
	status=0
	LD_PRELOAD=$preload "$sluice" run --check all --stats /dev/null "$@" >out 2>err </dev/null || status=$?
	cat out err
	echo "status $status"
}

cases="races:tile races:two_writes unwritten:shared unwritten:vector global_races:neighbours bounds:past_end
bounds:beyond_array bounds:below_array masks:self masks:lane warp_races:in_step warp_races:global_wins local_memory:never
local_memory:free_twice faults:shared faults:freed barriers:two"
for name in $(echo "$cases" | tr ' ' '\n' | cut -d: -f1 | sort -u); do
	try 0 cc -O2 "$source_dir/tests/cuda/checks/$name.cu" -o "$name"
done
for case in $cases; do
	told -- "./${case%:*}" "${case#*:}" >want
	grep -q "^sluice: k" want || fail "$case: nothing is told"
	for mechanism in teleport d2ma sharing caps tma; do
		tried="$case with $mechanism"
		told --mech "$mechanism" -- "./${case%:*}" "${case#*:}" >got
		cmp -s want got || fail "another message: $(diff want got)"
	done
done
finish
