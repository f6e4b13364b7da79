#!/bin/sh
# Protects the independence of checks from mechanisms: the messages are identical whatever mechanism is attached. The
# mechanisms copy blocks' tiles, prefetch, order warps, share scratchpads or move data on their own.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_CHECK
cd "$work" || exit 1

# told STATUS-FILE ARGUMENT...: prints the messages of a run with all checks. Checks give exit status 0 or 1.
told() {
	status=0
	LD_PRELOAD=$preload "$sluice" run --check all --stats /dev/null "$@" >out 2>err </dev/null || status=$?
	cat out err
	echo "status $status"
}

cases="races:tile races:two_writes unwritten:shared unwritten:vector global_races:neighbors bounds:past_end
bounds:beyond_array bounds:below_array masks:self masks:lane warp_races:in_step warp_races:global_wins local_memory:never
local_memory:free_twice faults:shared faults:freed barriers:two"
for name in $(echo "$cases" | tr ' ' '\n' | cut -d: -f1 | sort -u); do
	try 0 cc -O2 "$source_dir/tests/cuda/checks/$name.cu" -o "$name"
done
for case in $cases; do
	told -- "./${case%:*}" "${case#*:}" >want
	grep -q "^sluice: k" want || fail "$case: no message"
	for mechanism in teleport d2ma sharing caps tma; do
		tried="$case with $mechanism"
		told --mech "$mechanism" -- "./${case%:*}" "${case#*:}" >got
		cmp -s want got || fail "different messages: $(diff want got)"
	done
done
finish
