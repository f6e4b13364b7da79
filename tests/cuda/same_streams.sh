#!/bin/sh
# Protects the figures of kernels that run together: same_streams.sh SLUICE PROGRAM, where PROGRAM is random_streams.
# Two runs, on one and on two threads of the host, have the same statistics, apart from the host's time.
set -eu
sluice=$1
program=$2
. "$(dirname "$0")/preload.sh"
[ -z "$preload" ] || preload="$preload $(dirname "$sluice")/../lib/libcudart.so"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for threads in 1 1 2; do
	LD_PRELOAD=$preload SLUICE_THREADS=$threads SLUICE_STATS=$work/stats.json "$program" 100 6 1 >"$work/output" 2>&1 || {
		cat "$work/output"
		exit 1
	}
	sed 's/"host_seconds": [^,]*,//; /"threads": /d' "$work/stats.json" >"$work/figures"
	grep -q '"sessions"' "$work/figures"
	[ -e "$work/wanted" ] || cp "$work/figures" "$work/wanted"
	cmp "$work/wanted" "$work/figures"
done
