#!/bin/sh
# Protects host accesses through a device pointer, in programs with and without their own signal handler.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
[ -z "$preload" ] || exit 0 # AddressSanitizer's shadow memory overlaps device addresses, and it handles SIGSEGV
cd "$work" || exit 1
cat >program.cu <<'CU'
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
static sigjmp_buf back;
static void handler(int) { siglongjmp(back, 1); }
int main(int argc, char **argv)
{
	const char *what = argv[1];
	int *p, local[4], *volatile null = NULL;
	bool is_own = strstr(what, "own");
	if (is_own)
		signal(SIGSEGV, handler);
	if (strstr(what, "ignored"))
		signal(SIGSEGV, SIG_IGN);
	cudaMalloc(&p, 64);
	for (int round = 0; round < (is_own ? 2 : 1); round++) {
		if (sigsetjmp(back, 1)) {
			printf("caught\n");
			continue;
		}
		if (strstr(what, "memcpy"))
			memcpy(local, p, sizeof local);
		if (strstr(what, "null"))
			*null = 1;
		if (strstr(what, "kill"))
			kill(getpid(), SIGSEGV);
		if (strstr(what, "write"))
			p[3] = 1;
		if (strstr(what, "from"))
			return cudaMemcpy(p, p + 4, 4, cudaMemcpyHostToDevice);
		if (strstr(what, "to"))
			return cudaMemcpy(p, p + 4, 4, cudaMemcpyDeviceToHost);
	}
	printf("%d\n", cudaMemcpy(null, p, 4, cudaMemcpyDeviceToHost));
	return local[0];
}
CU
try 0 cc program.cu -o program
# run STATUS WHAT: 139 means death by SIGSEGV
run() {
	tried="program $2"
	got=0
	./program "$2" >out 2>err || got=$?
	[ "$got" = "$1" ] || fail "exit status $got, expected $1"
}
line='is device memory (allocation 0x80000000, 64 bytes, offset'
run 139 write
says err "address 0x8000000c, which $line 12)"
run 139 memcpy
says err "$line 0)"
run 139 null
grep -q 'device memory' err && fail "reported for an address outside device memory"
run 139 kill
# a copy that calls device memory host memory
run 1 "copy from"
says err "cudaMemcpy: 0x80000010 is device memory, but the copy's direction says that it is host memory"
run 1 "copy to"
says err "cudaMemcpy: 0x80000000 is device memory, but the copy's direction says that it is host memory"
# ignoring the signal changes nothing
run 139 "ignored kill write"
says err "$line 12)"
# the program's own handler is called each time
for what in "own write" "own null" "own kill"; do
	./program "$what" >out 2>err
	[ "$(grep -c caught out)" = 2 ] || fail "$what: the program's handler was not called twice"
done
finish
