#!/bin/sh
# Protects `sluice opt` and --pass: passes by name, their output, and refused input. Programs compute the same results
# with and without passes.
set -u
. "$(dirname "$0")/lib.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS SLUICE_PASSES
cd "$work" || exit 1

# The output parses back to itself, for each kernel and pass. Without a pass it equals the output of `sluice ptx`.
for file in "$kernels"/*.ptx; do
	try 0 opt "$file" -o once.ptx
	silent out
	try 0 ptx --print "$file"
	cmp -s once.ptx out || fail "$file: not what ptx --print writes"
	for passes in dead-code split-critical-edges spill:registers=14 split-critical-edges,spill:registers=14,dead-code:loads=no; do
		try 0 opt "$file" --pass $passes -o once.ptx
		try 0 opt once.ptx
		cmp -s once.ptx out || fail "$file after $passes: printed twice, the text differs"
	done
done

try 0 opt --list
for pass in dead-code spill split-critical-edges; do
	grep -q "^$pass: " out || fail "expected $pass"
done
says out "  requires control flow"
says out "  option   registers=63  registers per thread, at most"

# --print-after: the intermediate PTX on standard error; also the counters. --dot: facts next to the blocks.
try 0 opt "$kernels/saxpy.ptx" --pass split-critical-edges --pass dead-code,spill:registers=6 --print-after dead-code -o last.ptx
says err "// after dead-code"
says err 'bra $split0;'
grep -q 'ld.local' err && fail "expected the PTX in front of spill"
says err "split-critical-edges: 3 edges split, one per branch"
grep -q 'ld.local' last.ptx || fail "expected spills"
try 0 opt "$kernels/saxpy.ptx" --dot
says out 'digraph "saxpy" {'
says out 'dominated by 1\lpost-dominated by 3\lheader of a loop\llive in '

# An error is reported once, and nothing is written.
refused() { # STATUS MESSAGE ARGUMENT...
	status=$1 message=$2
	shift 2
	try "$status" opt "$kernels/saxpy.ptx" -o none.ptx "$@"
	says err "$message"
	[ "$(grep -c 'error:' err)" = 1 ] || fail "expected one message"
	[ ! -e none.ptx ] || fail "expected no file"
}
refused 2 "no pass 'dead-coed'; did you mean 'dead-code'?" --pass dead-coed
refused 2 "no pass 'frobnicate'; 'sluice opt --list' lists them" --pass dead-code,frobnicate
refused 2 "pass spill has no option 'register'; did you mean 'registers'?" --pass spill:register=3
refused 2 "pass spill: registers: expected a whole number from 1 to 1024 in registers, not 'many'" --pass spill:registers=many
refused 2 "cannot print after 'spill': it is not one of the passes that run" --pass dead-code --print-after spill
refused 2 "no pass 'spil'; did you mean 'spill'?" --pass spill --print-after spil
refused 2 "no mechanism 'gtoo'; did you mean 'gto'?" --mech gtoo
refused 1 "pass spill: kernel 'saxpy' needs" --pass spill:registers=1
try 2 opt --pass dead-code
says err "no file given"
try 1 opt "$kernels/saxpy.ptx" -o none/none.ptx
says err "cannot write none/none.ptx: No such file or directory"
try 2 run --pass dead-coed -- touch started
says err "no pass 'dead-coed'; did you mean 'dead-code'?"
[ ! -e started ] || fail "the program was started"

# A program: the same results with more or fewer instructions, and statistics that name the passes.
cat >program.cu <<'END'
#include <cstdio>
__global__ void collatz(unsigned *value)
{
	unsigned n = value[threadIdx.x], steps = 0;
#pragma unroll 1
	for (; n != 1; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	value[threadIdx.x] = steps;
}
int main()
{
	unsigned host[64], *value, sum = 0;
	for (unsigned i = 0; i < 64; i++)
		host[i] = i + 1;
	cudaMalloc(&value, sizeof host);
	cudaMemcpy(value, host, sizeof host, cudaMemcpyHostToDevice);
	collatz<<<1, 64>>>(value);
	cudaMemcpy(host, value, sizeof host, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; i < 64; i++)
		sum += host[i];
	printf("sum %u\n", sum);
}
END
try 0 cc program.cu -o program
try_program 0 run --stats plain.json -- ./program
cp out plain
try_program 0 run --stats split.json --pass split-critical-edges --pass dead-code,spill:registers=9 -- ./program
cmp -s out plain || fail "other results"
try_program 0 run --functional --pass split-critical-edges -- ./program
cmp -s out plain || fail "other results"
tr -d '\n ' <split.json | grep -qF '"passes":["split-critical-edges","dead-code,spill:registers=9"]' || fail "expected the passes in the statistics"
grep -q '"passes"' plain.json && fail "expected no passes"
count() {
	sed -n 's/.*"thread_instructions": *\([0-9]*\).*/\1/p' "$1" | head -1
}
[ "$(count split.json)" -gt "$(count plain.json)" ] || fail "expected more instructions with edges split"
try 0 run --pass dead-code --pass spill:registers=9 -- sh -c 'echo "$SLUICE_PASSES"'
grep -qx dead-code out && grep -qx spill:registers=9 out || fail "expected the passes in the environment"

# Passes of a mechanism in a shared object: known by name, and run by its hook with its options. Names in use are
# refused.
object() { # NAME TEXT
	# shellcheck disable=SC2046 # no spaces in it
	printf '#include "flow/pass.h"\n#include "seam/mech.h"\n#include <stdio.h>\n%s\n' "$2" |
		cc -Wall -Wextra -Werror -shared -fPIC -xc $("$sluice" mech --cflags) - -o "$1.so"
}
mark='static const uint32_t defaults = 5;
static const struct base_option options[] = {{"value", BASE_OPTION_U32, 0, 0, 0, NULL, "", "that is written"}};
static enum pass_result run(struct pass_job *job)
{
	char text[128];
	snprintf(text, sizeof text, "mov.u32 %s, %u;", pass_register(job, PTX_U32).name, *(const uint32_t *)job->config);
	return pass_add_text(job, pass_entry(job), text) ? PASS_CHANGED : PASS_REFUSED;
}
static const struct flow_pass mark = {.name = NAME, .meaning = "marks the entry", .stem = STEM, .options = options, .option_count = 1,
	.config_size = 4, .defaults = &defaults, .run = run};
static const struct flow_pass *const passes[] = {&mark};
static void rewrite(const void *config, const struct mech_machine *machine, char *text, size_t size)
{
	(void)machine;
	snprintf(text, size, ASKS, *(const uint32_t *)config);
}
static const struct mech m = {.version = MECH_VERSION, .name = "marker", .summary = "", .citation = "", .options = options,
	.option_count = 1, .config_size = 4, .defaults = &defaults, .passes = passes, .pass_count = 1, .rewrite = rewrite};
MECHANISM(m);'
asks='#define ASKS "mark:value=%u"'
object marker "#define NAME \"mark\"
#define STEM \"mark\"
$asks
$mark"
object taken "#define NAME \"spill\"
#define STEM \"mark\"
$asks
$mark"
object shouts "#define NAME \"Mark\"
#define STEM \"mark\"
$asks
$mark"
object wrong "#define NAME \"mark\"
#define STEM \"mark\"
#define ASKS \"marc:value=%u\"
$mark"
try 0 opt --list --mech ./marker.so
says out "mark: marks the entry"
try 0 mech show ./marker.so
says out "  mark               marks the entry"
try 0 opt --mech marker.so --pass mark:value=7 "$kernels/saxpy.ptx"
says out "	mov.u32 %mark0, 7;"
try_program 0 run --stats marked.json --mech marker.so:value=9 -- ./program
cmp -s out plain || fail "other results"
[ "$(count marked.json)" = "$(($(count plain.json) + 64))" ] || fail "expected one instruction more a thread"
try 2 run --mech taken.so -- ./program
says err "mechanism marker: a pass 'spill' exists already; the mechanism's pass needs another name"
try 2 run --mech shouts.so -- ./program
says err "mechanism marker: pass 0 (Mark): expected a name, and a stem, of small letters"
try 2 run --mech wrong.so -- ./program
says err "no pass 'marc'; did you mean 'mark'?"
says err "mechanism marker: its hook rewrite requests 'marc:value=5'"

finish
