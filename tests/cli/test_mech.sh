#!/bin/sh
# Protects `sluice mech` and --mech: what is shown, and what is refused before a program starts.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

try 0 mech list
for name in lrr gto two_level; do
	grep -q "^$name  *warp order: " out || fail "expected $name"
done
try 0 mech show two_level
says out "exclusive policies: the warp order"
says out "(1 to 64 warps)"
try 2 mech show two_levle
says err "no mechanism 'two_levle'; did you mean 'two_level'?"
try 2 mech show
says err "show takes one NAME; 'sluice mech list' lists the names"

# Errors in a mechanism are reported before the program starts.
object() { # NAME TEXT
	# shellcheck disable=SC2046 # no spaces in it
	printf '#include "seam/mech.h"\n%s\n' "$2" | cc -shared -fPIC -xc $("$sluice" mech --cflags) - -o "$1.so"
}
object none ''
refused() { # MESSAGE ARGUMENT...
	message=$1
	shift
	try 2 run "$@" -- touch started
	says err "$message"
	[ ! -e started ] || fail "the program was started"
}
refused "no mechanism 'gtoo'; did you mean 'gto'?" --mech gtoo
refused "mechanism two_level has no option 'raedy'; did you mean 'ready'?" --mech two_level:raedy=3
refused "mechanism two_level: ready: expected a whole number from 1 to 64 in warps, not '65'" --mech two_level:ready=65
refused "'ready'; expected KEY=VALUE" --mech two_level:ready
refused "mechanisms gto and lrr both own the warp order; only one of them can" --mech gto --mech lrr
refused "mechanism gto is attached twice" --mech gto --mech gto
refused "a functional run has no cycles" --mech gto --functional

# A mechanism that stands for others: they are attached with their options, and shown.
try 0 mech show caps:threshold=7,wake_up=no
says out "stands for: cap, pas"
says out "  threshold          7 "
says out "  wake_up            false "
refused "mechanism caps has no option 'treshold'; did you mean 'threshold'?; 'sluice mech show caps' lists them" --mech caps:treshold=7
refused "mechanism cap is attached twice" --mech caps --mech cap
refused "sm.warp_order is caps, which is not a warp order" -o sm.warp_order=caps
refused "mechanisms gto and pas both own the warp order; only one of them can" --mech caps --mech gto
object stands 'static const char *const parts[] = {"gto"};
	static const struct mech stands = {.version = MECH_VERSION, .name = "stands", .summary = "", .citation = "", .stands_for = parts,
	.stands_for_count = 1}; MECHANISM(stands);'
refused "stands.so: it stands for other mechanisms, which only a built-in mechanism can" --mech ./stands.so
try 0 run --mech gto -- sh -c 'echo "$SLUICE_MECHANISMS"'
says_only out gto

# Shared objects: by a path, or by a name that ends in .so.
object old 'static const struct mech old = {.version = 0, .name = "old"}; MECHANISM(old);'
object mine 'static const struct mech mine = {.version = MECH_VERSION, .name = "mine", .summary = "does nothing",
	.citation = "nobody"}; MECHANISM(mine);'
object policy 'static const struct mech policy = {.version = MECH_VERSION, .name = "policy", .summary = "", .citation = "",
	.policies = MECH_POLICY_BUFFER}; MECHANISM(policy);'
try 0 mech show mine.so
says out "mine: does nothing"
refused "mechanism mine has no option 'size'; 'sluice mech show $work/mine.so' lists them" --mech ./mine.so:size=1
refused "none.so: no symbol sluice_mechanism; expected MECHANISM(...) of seam/mech.h" --mech ./none.so
refused "old.so: needs version 0.0 of seam/mech.h" --mech "$work/old.so"
refused "mechanism policy owns the buffer in front of L1 but has no hook buffer" --mech policy.so
refused "cannot load mechanism $work/absent.so: cannot open shared object file: No such file or directory" --mech absent.so

echo 'not compiled' >"$work/source.c"
refused "cannot load mechanism $work/source.c: it is not a shared object; compile its source with" --mech ./source.c
refused "no mechanism 'stranger'; 'sluice mech list' lists them; a shared object is named by its path" --mech stranger

# Names and tables are checked when a mechanism is loaded. Names are also checked against those already loaded.
object shouts 'static const struct mech m = {.version = MECH_VERSION, .name = "Loud", .summary = "", .citation = ""};
	MECHANISM(m);'
object cache 'static const struct mech m = {.version = MECH_VERSION, .name = "l1d", .summary = "", .citation = ""};
	MECHANISM(m);'
object other 'static const struct mech m = {.version = MECH_VERSION, .name = "mine", .summary = "", .citation = ""};
	MECHANISM(m);'
object option 'static const uint32_t defaults = 9; static const struct base_option options[] = {{"o", BASE_OPTION_U32, 0, 1, 4, 0, "", ""}};
	static const struct mech m = {.version = MECH_VERSION, .name = "m", .summary = "", .citation = "",
	.options = options, .option_count = 1, .config_size = 4, .defaults = &defaults}; MECHANISM(m);'
refused "shouts.so: its name is 'Loud'; expected a letter, then small letters, digits and _" --mech shouts.so
refused "cache.so: its name 'l1d' is that of a part of the machine" --mech cache.so
refused "two mechanisms have the name mine: one of them needs another name" --mech mine.so --mech other.so
refused "option.so: mechanism m: option 0 (o): its default does not fit" --mech option.so
for name in $("$sluice" mech list | cut -d' ' -f1); do
	try 0 mech show "$name"
done

# seam/mech.h compiles without warnings as C++17 with both compilers. A C++ mechanism needs no symbol of the simulator.
cat >cpp.cc <<'END'
#include "seam/mech.h"
#include "seam/mech_levels.h"
#include "seam/mech_lines.h"
#include "seam/mech_strides.h"
#include "seam/mech_table.h"
struct state {
	uint32_t *table;
};
static void on_open(mech_sm *sm)
{
	auto *own = static_cast<state *>(sm->state);
	own->table = static_cast<uint32_t *>(mech_alloc(sm->pool, sm->machine->warps * sizeof(uint32_t)));
}
static uint32_t pick(mech_sm *sm, const mech_warps *warps, uint64_t candidates)
{
	uint32_t bit = mech_youngest(warps, candidates);
	static_cast<state *>(sm->state)->table[bit]++;
	return bit;
}
static const mech cpp = [] {
	mech m = {};
	m.version = MECH_VERSION;
	m.name = "cpp";
	m.summary = "youngest first, in C++";
	m.citation = "";
	m.sm_size = sizeof(state);
	m.policies = MECH_POLICY_WARP_ORDER;
	m.sm_open = on_open;
	m.pick_warp = pick;
	return m;
}();
MECHANISM(cpp);
END
for compiler in g++ clang++-14; do
	command -v $compiler >/dev/null || continue
	# shellcheck disable=SC2046 # no spaces in it
	$compiler -std=c++17 -Wall -Wextra -Wpedantic -Werror -fvisibility=hidden -shared -fPIC $("$sluice" mech --cflags) \
		cpp.cc -o cpp.so || fail "$compiler: mech.h is not C++17"
	nm -u cpp.so | grep -v ' w ' >undefined
	grep . undefined && fail "a mechanism needs symbols of others"
	try 0 mech show cpp.so
	says out "cpp: youngest first, in C++"
	says out "exclusive policies: the warp order"
done

# A program runs with the mechanism. Another mechanism's error fails the launch and the process, with a message that
# names mechanism, SM and cycle.
cat >program.cu <<'END'
#include <cstdio>
__global__ void twice(int *value) { value[threadIdx.x] *= 2; }
int main()
{
	int host = 21, *value;
	cudaMalloc(&value, 64 * sizeof *value);
	cudaMemcpy(value, &host, sizeof host, cudaMemcpyHostToDevice);
	twice<<<1, 64>>>(value);
	puts(cudaGetErrorName(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost)));
	printf("%d\n", host);
}
END
object wrong 'static uint32_t pick(struct mech_sm *sm, const struct mech_warps *warps, uint64_t candidates)
	{ (void)sm; (void)warps; (void)candidates; return 63; }
	static const struct mech m = {.version = MECH_VERSION, .name = "wrong", .summary = "", .citation = "",
	.policies = MECH_POLICY_WARP_ORDER, .pick_warp = pick}; MECHANISM(m);'
try 0 cc program.cu -o program
# A mechanism's invalid access that ends the process is reported with its shared object and the offset in it.
object crash 'static void on_issue(struct mech_sm *sm, const struct mech_issue *issue) { (void)issue; *(volatile int *)sm->state = 1; }
static const struct mech m = {.version = MECH_VERSION, .name = "crash", .summary = "", .citation = "", .issue = on_issue};
MECHANISM(m);'
tried="sluice run --mech crash.so"
(. "$source_dir/tests/cuda/preload.sh" && LD_PRELOAD=$preload exec "$sluice" run --mech crash.so -- ./program) >"$work/out" 2>"$work/err" &&
	fail "expected the process to end"
says err "sluice: mechanism $work/crash.so: accesses address "
says err "addr2line -f -e $work/crash.so 0x"
try_program 0 run --mech cpp.so -- ./program
says out "42"
# A mechanism that counted nothing is in the table: it was attached.
try_program 0 run --mech tma -- ./program
says err "  tma           all counters are 0"
try_program 1 run --stats stats.json --mech wrong.so -- ./program
grep -q '"ended": "mistake, exit 1"' stats.json || fail "expected statistics that say how it ended"
says out "cudaErrorLaunchFailure"
says err "stopped: mechanism wrong, hook pick_warp, SM "
says err ": picks warp 63 of scheduler "

# A machine's built-in mechanism is attached without --mech. --mech with its name changes its options, and it is
# attached once.
try_program 0 run -o mechanisms=tma:latency=40 --mech tma:entries=3 --stats stats.json -- ./program
grep -q '"tma:entries=3,latency=40,' stats.json || fail "expected the machine's mechanism, with its options and the user's"
refused "mechanism tma is attached twice" -o mechanisms=tma --mech tma:entries=3 --mech tma
refused "no mechanism 'tmaa'; did you mean 'tma'?" -o mechanisms=tmaa
try_program 0 run --functional -o mechanisms=tma -- ./program

# A mechanism may execute asynchronous copies as loads and stores. If the machine has asynchronous copies, a message
# says so.
cat >copies.cu <<'CU'
#include <cuda_pipeline_primitives.h>
__global__ void copies(const int *a)
{
	__shared__ int tile[32];
	__pipeline_memcpy_async(&tile[threadIdx.x], a + threadIdx.x, 4);
	__pipeline_wait_prior(0);
}
int main()
{
	int *a;
	cudaMalloc(&a, 128);
	copies<<<1, 32>>>(a);
	return cudaDeviceSynchronize();
}
CU
try 0 cc -arch=sm_80 copies.cu -o copies
try_program 0 run -m rtx3070 --mech d2ma -- ./copies
says err "mechanism d2ma replaces asynchronous copies by loads and stores; for a comparable run without it, use -o sm.async_copies=false"
for options in "-m rtx3070" "-m qv100 --mech d2ma" "-m rtx3070 --mech nlp" "-m rtx3070 --mech d2ma -o sm.async_copies=false"; do
	# shellcheck disable=SC2086 # several words
	try_program 0 run $options -- ./copies
	! grep -q "asynchronous copies" err || fail "expected no word of copies with $options"
done

try 0 run --mech mine.so -- sh -c 'cd / && echo "$SLUICE_MECHANISMS"'
says_only out "$work/mine.so"

finish
