#!/bin/sh
# Protects against contradictory counters: the launch fails with a message. The program continues and exits with a
# nonzero status.
set -u
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

cat >spoil.c <<'END'
#include "seam/mech.h"
static void spoil(struct mech_sm *sm)
{
	((struct mech_requests *)mech_account(sm))->asked++;
}
static const struct mech spoiler = {.version = MECH_VERSION, .name = "spoiler", .summary = "spoils its account",
	.citation = "nobody", .sends = true, .sm_size = 1, .kernel_end = spoil};
MECHANISM(spoiler);
END
# shellcheck disable=SC2046 # no spaces in it
cc -shared -fPIC $("$sluice" mech --cflags) spoil.c -o spoil.so
cat >launch.cu <<'END'
#include <cstdio>
__global__ void nothing()
{
}
int main()
{
	nothing<<<1, 32>>>();
	printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "good" : "failed");
}
END
try 0 cc launch.cu -o launch
try_program 0 run -- ./launch
says out good
try_program 1 run --mech ./spoil.so -- ./launch
says out failed
says err "internal error: the statistics of kernel _Z7nothingv do not add up: asked = dropped + outside + filtered + refused + issued"

finish
