#!/bin/sh
# Protects the promise of MECH_VERSION. A mechanism compiled with an older minor version of seam/mech.h loads and works.
# One for another major or a newer minor version is refused; the message says which version it needs and how to rebuild.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# A copy of the headers, which the cases below change.
headers=$("$sluice" mech --cflags | sed 's/^-I//')
mkdir -p "$work/headers"
cp -r "$headers/seam" "$headers/base" "$work/headers"
header=$work/headers/seam/mech.h
reset() {
	cp "$headers/seam/mech.h" "$header"
}
object() {
	printf '#include "seam/mech.h"\n%s\n' "$2" >"$1.c"
	cc -std=c17 -Wall -Wextra -Werror -shared -fPIC -I "$work/headers" "$1.c" -o "$1.so" || fail "cannot compile $1.c"
}
cat >one.cu <<'END'
__global__ void one(int *p) { p[threadIdx.x] = 1; }
int main()
{
	int *p;
	cudaMalloc(&p, 128);
	one<<<2, 32>>>(p);
	return cudaDeviceSynchronize() != cudaSuccess;
}
END
try 0 cc one.cu -o one

# An older minor version: struct mech ends earlier. In the shared object, other data follow it, which are no hooks.
counts='struct counts { uint64_t blocks; };
static const struct COUNTER counters[] = {{"blocks", "blocks", SCOPE, 0, "that ended", SUM}};
static void block_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)block;
	((struct counts *)sm->stats)->blocks++;
}
static const struct { struct mech mech; uintptr_t others[16]; } own = {{.version = MECH_VERSION, .name = "older", .summary = "counts blocks",
	.citation = "a test", .counters = counters, .counter_count = 1, .stats_size = sizeof(struct counts), .block_end = block_end},
	{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
MECHANISM(own.mech);'
counts=$(printf '%s' "$counts" | sed "s/struct COUNTER/$(sed -n 's/^\tconst \(struct [a-z_]*\) \*counters;$/\1/p' "$header")/
	s/SCOPE/$(sed -n 's/^enum [a-z_]*base_scope { *\([A-Z_]*BASE_SCOPE_SM\),.*/\1/p' "$work"/headers/base/table.h)/
	s/SUM/$(sed -n 's/^enum [a-z_]*base_combination { *\([A-Z_]*SUM\),.*/\1/p' "$work"/headers/base/table.h)/")
reset
sed -i '/VETO(gpu, may_dispatch,/s/ \\$//; /VETO(gpu, may_end,/d' "$header"
object older "$counts"
try 0 run --stats older.json --mech ./older.so -- ./one
grep -q '"older.blocks": 2' older.json || fail "the older mechanism has not counted two blocks"
reset
object same "$counts"
try 0 run --stats same.json --mech ./same.so -- ./one
[ "$(grep -c '"cycles"' same.json)" = "$(grep -c '"cycles"' older.json)" ] || fail "the records differ"

# Versions that this library does not read.
made_for() {
	reset
	sed -i "s/MECH_VERSION_MAJOR = [0-9]*, MECH_VERSION_MINOR = [0-9]*,/MECH_VERSION_MAJOR = $2, MECH_VERSION_MINOR = $3,/" "$header"
	object "$1" "$counts"
	try 2 run --mech "./$1.so" -- ./one
	says err "/$1.so: needs version $2.$3 of seam/mech.h; sluice"
	says err "cc -shared -fPIC"
}
major=$(sed -n 's/.*MECH_VERSION_MAJOR = \([0-9]*\),.*/\1/p' "$headers/seam/mech.h")
minor=$(sed -n 's/.*MECH_VERSION_MINOR = \([0-9]*\),.*/\1/p' "$headers/seam/mech.h")
made_for newer "$major" $((minor + 1))
says err "use a newer sluice"
made_for other $((major + 1)) 0
says err "takes $major.0 to $major.$minor: compile the mechanism again"
reset
object before 'static const struct mech own = {.version = 13, .name = "before"}; MECHANISM(own);'
try 2 run --mech ./before.so -- ./one
says err "needs version 0.13 of seam/mech.h"

# A symbol without the other: not made by MECHANISM().
object bare 'static const struct mech own = {.version = MECH_VERSION, .name = "bare", .summary = ""};
__attribute__((visibility("default"))) const struct mech *const sluice_mechanism = &own;'
try 2 run --mech ./bare.so -- ./one
says err "bare.so: no symbol sluice_mechanism_size; expected MECHANISM(...) of seam/mech.h"

# No citation: a warning, once, and the mechanism runs.
object uncited 'static const struct mech own = {.version = MECH_VERSION, .name = "uncited", .summary = "does nothing"}; MECHANISM(own);'
try 0 run --mech ./uncited.so -- ./one
says err "warning: mechanism uncited has no citation"
[ "$(grep -c "no citation" err)" = 1 ] || fail "the warning was printed more than once"
try 0 mech show ./uncited.so
says out "(no citation)"
finish
