#!/bin/sh
# Protects the message when a mechanism from a shared object faults in any of its hooks. It names the mechanism and the
# place, and for a NULL state the cause. The process then ends by the signal, in the command as in the program.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
[ -z "$preload" ] || exit 0 # AddressSanitizer handles these signals
cd "$work" || exit 1
ulimit -c 0

cat >mechanism.c <<'C'
#include "seam/mech.h"
#include "flow/pass.h"
#include <stdlib.h>
#include <string.h>
static volatile int zero;
static void *volatile nothing;
static int deeper(volatile char *above) { volatile char here[512]; here[0] = *above; return deeper(here) + here[0]; }
static void crash(void)
{
	switch (KIND) {
	case 0: *(volatile int *)nothing = 1; break;
	case 1: zero = (int)strlen(nothing); break; /* in another library */
	case 2: zero = 1234 / zero; break;
	case 3: ((void (*)(void))nothing)(); break;
	case 4: abort();
	case 5: zero = deeper((volatile char *)&zero); break;
	case 6: __builtin_trap();
	}
}
#ifdef CONSTRUCTOR
__attribute__((constructor)) static void load(void) { crash(); }
#endif
static uint32_t victim(struct mech_sm *sm, const struct mech_set *set) { (void)sm; return set->usual; }
static uint32_t victim2(struct mech_partition *p, const struct mech_set *set) { (void)p; return set->usual; }
static uint32_t taken(struct mech_sm *sm, uint64_t slots) { (void)sm; (void)slots; return 0; }
static uint32_t room(struct mech_gpu *gpu, const struct mech_room *r) { (void)gpu; return r->shared; }
static struct mech_buffer one_set(const void *c, const struct mech_machine *m) { (void)c; (void)m; return (struct mech_buffer){.sets = 1, .ways = 1}; }
static uint64_t at_once(struct mech_gpu *gpu, uint64_t cycle) { (void)gpu; return cycle + 1; }
static void rewrite_by(const void *c, const struct mech_machine *m, char *text, size_t size) { (void)c; (void)m; strncpy(text, "faulty", size); }
static const struct flow_pass faulty = {.name = "faulty", .stem = "faulty", .meaning = "faults", .run = (void *)crash};
static const struct flow_pass *const passes[] = {&faulty};
static const char *const opcodes[] = {"add"};
static const struct base_counter_vector vectors[] = {{.name = "v", .unit = "", .meaning = "", .scope = BASE_SCOPE_GPU, VECTOR}};
static const struct mech mine = {
	.version = MECH_VERSION, .name = "mine", .summary = "faults", .citation = "a test", .vectors = vectors, .vector_count = 1,
	MORE
#ifdef HOOK
	.HOOK = (void *)crash,
#endif
};
MECHANISM(mine);
C
cat >program.cu <<'CU'
__global__ void k(int *p) { __shared__ int s[64]; s[threadIdx.x] = p[threadIdx.x + 64 * blockIdx.x]; __syncthreads(); p[threadIdx.x] += s[63 - threadIdx.x]; }
int main() { int *p; cudaMalloc(&p, 65536); k<<<40, 64>>>(p); return cudaDeviceSynchronize(); }
CU
try 0 cc program.cu -o program

# build FLAG...
build() {
	# shellcheck disable=SC2046 # no spaces in it
	cc -w -O1 -fno-optimize-sibling-calls -shared -fPIC $("$sluice" mech --cflags) "$@" mechanism.c -o mine.so || fail "mechanism.c does not compile: $*"
}
# ends STATUS COMMAND...: the command ends by a signal in the mechanism
ends() {
	wanted=$1
	shift
	tried="$what: $*"
	got=0
	"$@" >out 2>err || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
	says err "sluice: mechanism $work/mine.so: "
	says err "'addr2line -f -e $work/mine.so 0x"
}
run_once() { # STATUS
	ends "$1" "$sluice" run -o sm.count=2 -o l1d.sets=1 -o sm.send_queue=4 --mech "$work/mine.so" -- ./program
}
run_both() { # STATUS
	run_once "$1"
	ends "$1" env SLUICE_OPTIONS="sm.count=2
l1d.sets=1
sm.send_queue=4" SLUICE_MECHANISMS="$work/mine.so" ./program
}

# every hook of a kernel, and each hook called before a kernel; MORE: fields that enable the hook
while read -r hook more; do
	what=$hook
	build -DKIND=0 -DHOOK="$hook" -DMORE="$more" -DVECTOR=".length = 1"
	run_once 139
done <<'LIST'
check
rewrite
buffer .policies = MECH_POLICY_BUFFER,
gpu_open
gpu_kernel_begin
gpu_kernel_end
gpu_cycle
gpu_block
may_dispatch
may_end .gpu_cycle=at_once,
blocks_per_sm .policies=MECH_POLICY_BLOCK_COUNT,
place_block .policies=MECH_POLICY_BLOCK_PLACE,
pick_kernel .policies=MECH_POLICY_KERNEL,.kernels=MECH_ALL_KERNELS,
shared_room .policies=MECH_POLICY_SHARED_ROOM,.shared_taken=taken,
shared_full .policies=MECH_POLICY_SHARED_ROOM,.shared_taken=taken,.shared_room=room,
shared_taken .policies=MECH_POLICY_SHARED_ROOM|MECH_POLICY_BUFFER,.shared_room=room,.buffer=one_set,
shared_place .policies=MECH_POLICY_SHARED_LAYOUT,
sm_open
kernel_begin
kernel_end
cycle
warps_that_compete
pick_warp .policies=MECH_POLICY_WARP_ORDER,
l1_victim .policies=MECH_POLICY_L1_REPLACEMENT,
l1_used .policies=MECH_POLICY_L1_REPLACEMENT,.l1_victim=victim,
answer_miss .policies=MECH_POLICY_L1_MISS,
run_opcode .opcodes=opcodes,.opcode_count=1,
block_begin
block_end
issue
memory
access
fill
packet_out
packet_in
may_start
may_issue
may_allocate
shared_access
may_access_shared
partition_open
l2_used .policies=MECH_POLICY_L2_REPLACEMENT,.l2_victim=victim2,
dram_next .policies=MECH_POLICY_DRAM,
partition_access
partition_fill
partition_packet_in
partition_packet_out
partition_command
LIST

# ... and hooks called outside a run
what=costs
build -DKIND=0 -DHOOK=costs -DMORE= -DVECTOR=".length = 1"
ends 139 "$sluice" mech show "$work/mine.so"
what=energies
build -DKIND=0 -DHOOK=energies -DMORE= -DVECTOR=".length = 1"
ends 139 "$sluice" mech show "$work/mine.so"
what=vector_label
build -DKIND=0 -DHOOK=vector_label -DMORE= -DVECTOR=".length = 1, .named = true"
ends 139 "$sluice" run --stats s.json --mech "$work/mine.so" -- ./program
what=vector_length
build -DKIND=0 -DHOOK=vector_length -DMORE= -DVECTOR=".length = 0"
run_both 139
what=constructor
build -DKIND=0 -DCONSTRUCTOR -DMORE= -DVECTOR=".length = 1"
run_both 139
ends 139 "$sluice" mech show "$work/mine.so"
what=pass
build -DKIND=0 -DMORE=".passes=passes,.pass_count=1,.rewrite=rewrite_by," -DVECTOR=".length = 1"
run_both 139

# faults of every kind; a state that exists is not reported as NULL
kind() { # KIND STATUS WORDS FLAG...
	what="kind $1"
	number=$1 status=$2 words=$3
	shift 3
	for hook in gpu_open access; do
		build -DKIND="$number" -DHOOK=$hook -DVECTOR=".length = 1" "$@"
		run_both "$status"
		says err "$words"
	done
}
kind 0 139 "mine.so: accesses address (nil), which is not mapped; " -DMORE=.sm_size=1,.gpu_size=1,
grep -q "is NULL" err && fail "an existing state is reported as NULL"
kind 1 139 "mine.so: a function that it calls accesses address (nil), which is not mapped" -DMORE= -fno-builtin
[ "$(uname -m)" != x86_64 ] || # on other hosts a division by zero gives 0
	kind 2 136 "mine.so: divides by zero" -DMORE=
kind 3 139 "mine.so: a function that it calls accesses address (nil)" -DMORE=
kind 4 134 "mine.so: a function that it calls ends the process" -DMORE=
kind 6 132 "mine.so: runs an instruction that stops it" -DMORE=
# the thread that opens the machine has a signal stack
what=recursion
build -DKIND=5 -DHOOK=gpu_open -DMORE= -DVECTOR=".length = 1"
run_both 139
build -DKIND=0 -DHOOK=sm_open -DMORE= -DVECTOR=".length = 1"
run_both 139
says err "its .sm_size is 0, so its state of an SM is NULL"

# faults outside mechanisms are attributed to none
cat >own.cu <<'CU'
#include <cstdlib>
int main() { int *p; cudaMalloc(&p, 4); abort(); }
CU
try 0 cc own.cu -o own
build -DKIND=0 -DMORE= -DVECTOR=".length = 1"
tried="a program's own abort()"
SLUICE_MECHANISMS=$work/mine.so ./own >out 2>err
[ $? = 134 ] || fail "expected status 134"
grep -q mechanism err && fail "a mechanism is blamed"
finish
