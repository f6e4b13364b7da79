#!/bin/sh
# Protects `sluice run --check`: the set of checks, unchanged figures, and the exit status. tests/cuda/checks tests what
# the checks find.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_CHECK
cd "$work" || exit 1

# run STATUS COMMAND...: runs the command and checks its exit status.
run() {
	wanted=$1
	shift
	tried=$*
	got=0
	LD_PRELOAD=$preload "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

try 0 run --check race --check init,shared-init -- sh -c 'echo $SLUICE_CHECK'
says_only out "race,init,shared-init"
try 0 run -- sh -c 'echo ${SLUICE_CHECK-unset}'
says_only out "unset"
try 2 run --check rase -- touch "$work/started"
says err "check 'rase'; expected bounds, leaks, race, global-race, warp-race, init, shared-init, masks, divergence, all, footprint or footprint-counts; did you mean 'race'?"
try 2 run --check bound -- touch "$work/started"
says err "did you mean 'bounds'?"
try 2 run --check al -- touch "$work/started"
says err "did you mean 'all'?"
try 2 run --check race,,init -- touch "$work/started"
says err "check ''"
[ ! -e "$work/started" ] || fail "the program was started"

checks=$source_dir/tests/cuda/checks
for name in races right barriers; do
	try 0 cc "$checks/$name.cu" -o "$name"
done

# A finding is no error of a CUDA call, but the process fails. Another failure status stays as it is.
SLUICE_CHECK=race run 1 ./races two_writes
says out "cudaSuccess"
[ "$(grep -c '^sluice: kernel' err)" = 1 ] || fail "expected one finding"
SLUICE_CHECK=race run 7 sh -c './races two_writes; exit 7'
run 0 ./races two_writes
SLUICE_CHECK=init run 0 ./races two_writes
SLUICE_CHECK=rase run 1 ./races two_writes
says err "check 'rase'"

# All figures except the host's are the same.
stats() {
	SLUICE_STATS=$work/stats.json run "$@"
	sed 's/"host_seconds": [^,]*,//; /"program"/d; /"checks"/d; /"ended"/d' stats.json
}
for arguments in "races tile" "right scan" "right padding" "right lock"; do
	stats 0 ./$arguments >without
	SLUICE_CHECK=race,init,shared-init,footprint
	export SLUICE_CHECK
	case $arguments in
	races*) stats 1 ./$arguments >with ;;
	*) stats 0 ./$arguments >with ;;
	esac
	unset SLUICE_CHECK
	[ -s without ] && cmp -s without with || fail "the checks change figures"
done

# Kernels read what their code predicts. With footprint-counts, one line per kernel states the number of reads.
SLUICE_CHECK=footprint run 0 ./right scan
! grep -q "^sluice: kernel" err || fail "expected no message"
SLUICE_CHECK=footprint-counts run 0 ./right transpose
says err "1 launches, 4 blocks: 400 reads covered, 0 missed, 0 through indexes without rows; 1600 bytes read, "

# A barrier at which parts of a warp arrive separately: accepted, as on GPUs before Volta, or reported.
run 0 ./barriers parted
says out "cudaSuccess"
run 1 ./barriers two
says err "can never complete"
SLUICE_CHECK=divergence run 1 ./barriers parted
says err "threads of one warp reach separately"
finish
