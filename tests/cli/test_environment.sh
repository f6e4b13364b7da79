#!/bin/sh
# Protects environment variables. Booleans are parsed in one way, and unknown names are reported. An invalid value fails
# the program's first CUDA call.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_STATS
cd "$work" || exit 1
cat >program.cu <<'CU'
__global__ void k(int *p) { *p = 1; }
int main()
{
	int *p;
	cudaError_t error = cudaMalloc(&p, 4);
	k<<<1, 1>>>(p);
	return error ? 7 : cudaDeviceSynchronize();
}
CU
try 0 cc program.cu -o program

says_first() {
	[ "$(head -n 1 err)" = "$1" ] || fail "expected '$1' first"
}

# runs STATUS VARIABLE=VALUE...
runs() {
	tried="$*"
	wanted=$1
	shift
	got=0
	env LD_PRELOAD="$preload" "$@" ./program >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
}

for yes in yes true on 1 Yes ON; do
	runs 0 SLUICE_FUNCTIONAL=$yes
	says err "functional run, no cycles"
done
for no in no false off 0 No "" ; do
	runs 0 SLUICE_FUNCTIONAL=$no
	says err "cycles, IPC"
done
for variable in SLUICE_FUNCTIONAL SLUICE_PROGRESS; do
	runs 7 $variable=perhaps
	says err "$variable: expected yes or no (true, false, on, off, 1, 0), not 'perhaps'"
done
for value in abc -1 1.5 99999999999; do
	runs 7 SLUICE_TIMEOUT=$value
	says err "SLUICE_TIMEOUT: expected a whole number of at most 2147483647, not '$value'"
	runs 7 SLUICE_THREADS=$value
	says err "SLUICE_THREADS: expected a whole number of at most 4294967295, not '$value'"
done
# A range includes its ends.
runs 0 SLUICE_TIMEOUT=2147483647
runs 0 SLUICE_TIMEOUT=0
runs 0 SLUICE_SAMPLE_BLOCKS=1
runs 0 SLUICE_SAMPLE_BLOCKS=0
for value in 1.01 -0.01 half; do
	runs 7 SLUICE_SAMPLE_BLOCKS=$value
	says err "SLUICE_SAMPLE_BLOCKS: expected a number from 0 to 1, not '$value'"
done
# The corresponding options report the error themselves, before a program runs.
for option in --timeout:2147483648 --threads:4294967296 --trace-every:4294967296; do
	try 2 run "${option%:*}=${option#*:}" --trace t.perfetto -- ./program
	says err "sluice run: ${option%:*}: expected a whole number from 1 to $((${option#*:} - 1)), not '${option#*:}'"
done
runs 0 SLUICE_FUNCTONAL=1
says err "there is no variable SLUICE_FUNCTONAL; did you mean SLUICE_FUNCTIONAL?"
# A prefix of a name suggests that name. The common prefix SLUICE_ does not make two names similar.
runs 0 SLUICE_MECH=1
says err "there is no variable SLUICE_MECH; did you mean SLUICE_MECHANISMS?"
runs 0 SLUICE_CLA=1
says err "there is no variable SLUICE_CLA; did you mean SLUICE_CLANG?"
runs 0 SLUICE_MECHS=1
says_first "sluice: warning: there is no variable SLUICE_MECHS"
runs 0 SLUICE_WHATEVER_THAT_IS=1
says err "there is no variable SLUICE_WHATEVER_THAT_IS"

# The commands that read the variables themselves report unknown ones too. A command that becomes a program leaves that
# to the program.
for command in "machine list" "mech list" "programs list" "stats --describe cycles" "cc --version"; do
	tried="SLUICE_MACHINS=x sluice $command"
	SLUICE_MACHINS=x "$sluice" $command >out 2>err
	says err "sluice: warning: there is no variable SLUICE_MACHINS; did you mean SLUICE_MACHINE?"
done
SLUICE_MACHINS=x try 0 run -- env LD_PRELOAD="$preload" ./program
[ "$(grep -c SLUICE_MACHINS err)" = 1 ] || fail "expected one warning"

# The manual page names the known variables, and only these.
grep -o '"SLUICE_[A-Z_]*[A-Z]"' "$source_dir/src/base/variables.c" | tr -d '"' | sort -u >known
grep -o 'SLUICE_[A-Z_]*[A-Z]' "$source_dir/docs/man/man1/sluice.1" | sort -u >documented
cmp -s known documented || fail "known and documented variables differ: $(diff known documented)"
finish
