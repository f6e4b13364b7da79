#!/bin/sh
# Protects output to a FIFO. Its reader gets all of the output. A FIFO without a reader ends the command with a message;
# the command once waited forever.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_STATS
cd "$work" || exit 1
cat >one.cu <<'CU'
__global__ void k() {}
int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }
CU
"$sluice" cc one.cu -o one || fail "one.cu does not compile"
mkfifo fifo

# read_from FORMAT TEXT: a reader of the FIFO gets the statistics.
read_from() {
	tried="run --stats fifo --stats-format $1"
	timeout 20 cat fifo >got &
	timeout 20 "$sluice" run --stats fifo --stats-format "$1" -- env LD_PRELOAD="$preload" ./one >out 2>err || fail "exit status $?"
	wait
	grep -q "$2" got || fail "the reader got no '$2'"
}
read_from table "cycles"
read_from json '"kernels"'
read_from gpgpusim "gpu_sim_cycle"

tried="report -o fifo"
"$sluice" run --stats one.json -- env LD_PRELOAD="$preload" ./one >out 2>err || fail "exit status $?"
timeout 20 cat fifo >got &
timeout 20 "$sluice" report one.json -o fifo >out 2>err || fail "exit status $?"
wait
grep -q "<html" got || fail "the reader got no page"

tried="run --stats fifo without a reader"
timeout 20 "$sluice" run --stats fifo -- env LD_PRELOAD="$preload" ./one >out 2>err
[ $? != 124 ] || fail "the command does not end"
grep -q "cannot write .*fifo: nothing reads from it" err || fail "no message"
tried="report -o fifo without a reader"
got=0
timeout 20 "$sluice" report one.json -o fifo >out 2>err || got=$?
[ "$got" = 1 ] || fail "exit status $got, expected 1"
grep -q "cannot write .*fifo: nothing reads from it" err || fail "no message"
finish
