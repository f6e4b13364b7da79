#!/bin/sh
# Protects the end of a process while a kernel runs in another thread, and forked children. The process does not wait
# for unfinished kernels that nothing synchronizes with. Finished kernels are in the statistics, and none of our threads
# keeps a process alive.
set -u
. "$(dirname "$0")/lib.sh"
. "$source_dir/tests/cuda/preload.sh"
unset SLUICE_MACHINE SLUICE_OPTIONS SLUICE_STATS_FORMAT SLUICE_FUNCTIONAL SLUICE_MAX_INSTRUCTIONS
cd "$work" || exit 1
# the polling kernel must run until its process ends
export SLUICE_OPTIONS=launch.livelock=0

cat >program.cu <<'CU'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
enum { FAR = 1 << 20 };
static int *p;
__global__ void brief(int *p) { p[threadIdx.x] += 1; }
__global__ void endless(volatile int *p)
{
	while (!p[FAR])
		;
}
static cudaError_t use()
{
	int value = 0;
	cudaMalloc(&p, 2 * FAR * sizeof *p);
	cudaMemset(p, 0, 2 * FAR * sizeof *p);
	brief<<<1, 32>>>(p);
	cudaError_t error = cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
	printf("%d %s\n", value, cudaGetErrorName(error));
	fflush(stdout);
	return error;
}
static void *launch_endless(void *)
{
	endless<<<1, 32>>>(p);
	puts("came back");
	return NULL;
}
static void *launch_brief(void *)
{
	usleep(100000);
	brief<<<1, 32>>>(p);
	return NULL;
}
static void *launch_often(void *)
{
	for (;;)
		brief<<<1, 32>>>(p);
}
static void end(int) { exit(4); }
static void (*before)(int);
static void pass_on(int number) { before(number); }
static int child(const char *way)
{
	if (!strcmp(way, "exec"))
		execlp("echo", "echo", "executed", (char *)NULL);
	if (!strcmp(way, "_exit"))
		_exit(6);
	if (!strcmp(way, "late"))
		usleep(500000);
	if (strcmp(way, "use"))
		exit(6);
	return use() == cudaSuccess ? 6 : 7;
}
/* fork FIRST WAY: the parent has used CUDA before ("used"), is in a kernel ("running"), or neither. */
static int test_fork(const char *before, const char *way)
{
	pthread_t thread;
	int status;
	if (strcmp(before, "unused"))
		use();
	if (!strcmp(before, "running")) {
		pthread_create(&thread, NULL, launch_endless, NULL);
		usleep(200000);
	}
	pid_t process = fork();
	if (!process)
		return child(way);
	if (!strcmp(way, "late"))
		return use();
	waitpid(process, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
	return strcmp(before, "running") && use() != cudaSuccess;
}
static int test_end(const char *way)
{
	pthread_t thread;
	use();
	if (!strcmp(way, "pthread_exit")) {
		pthread_create(&thread, NULL, launch_brief, NULL);
		pthread_exit(NULL);
	}
	if (!strcmp(way, "cancel")) {
		pthread_create(&thread, NULL, launch_often, NULL);
		usleep(20000);
		pthread_cancel(thread);
		launch_brief(NULL);
		exit(3);
	}
	if (!strcmp(way, "handler")) {
		signal(SIGALRM, end);
		alarm(1);
		launch_endless(NULL);
	}
	if (!strcmp(way, "chain"))
		before = signal(SIGTERM, pass_on);
	pthread_create(&thread, NULL, launch_endless, NULL);
	usleep(200000);
	if (!strcmp(way, "exit"))
		exit(3);
	if (!strcmp(way, "_exit"))
		_exit(5);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "kill") || !strcmp(way, "chain"))
		raise(SIGTERM);
	return 2;
}
int main(int, char **argv)
{
	return !strcmp(argv[1], "fork") ? test_fork(argv[2], argv[3]) : test_end(argv[2]);
}
CU
try 0 cc program.cu -o program

# run STATUS ARGUMENT...: the program ends without help, long before the limit. "kernels" are the statistics' records of
# `brief`.
run() {
	wanted=$1
	shift
	tried="$* with $SLUICE_THREADS threads"
	rm -f "$SLUICE_STATS"
	got=0
	LD_PRELOAD=$preload timeout -k 5 60 ./program "$@" >out 2>err </dev/null || got=$?
	[ "$got" = "$wanted" ] || fail "exit status $got, expected $wanted"
	grep -q "came back" out && fail "the kernel's launch returned"
	kernels=0
	[ ! -e "$SLUICE_STATS" ] || kernels=$(grep -c '"name": "_Z5brief' "$SLUICE_STATS")
}

# recorded COUNT
recorded() {
	[ "$kernels" = "$1" ] || fail "$kernels kernels in the statistics, expected $1"
}

export SLUICE_THREADS SLUICE_STATS="$work/stats.json"
for SLUICE_THREADS in 1 2; do
	run 3 end exit
	recorded 1
	run 2 end return
	recorded 1
	# a thread that is canceled inside a call blocks no other thread
	run 3 end cancel
	run 4 end handler
	recorded 1
	run 5 end _exit
	run 134 end abort
	run 143 end kill
	recorded 1
	# a program's handler that calls the previous handler
	run 143 end chain
	recorded 1
	run 0 end pthread_exit
	recorded 2

	for before in used running; do
		run 0 fork "$before" exit
		says out "child 6"
		run 0 fork "$before" _exit
		says out "child 6"
		run 0 fork "$before" exec
		says out executed
		says out "child 0"
		run 0 fork "$before" use
		says out "0 cudaErrorInitializationError"
		says out "child 7"
		[ "$(grep -c 'a forked child cannot use CUDA' err)" = 1 ] || fail "expected one message"
	done
	run 0 fork unused use
	[ "$(grep -c '1 cudaSuccess' out)" = 2 ] || fail "expected that parent and child can use CUDA"
	says out "child 6"
done
SLUICE_FUNCTIONAL=1 run 3 end exit
recorded 1

# A child that used no CUDA writes nothing; in particular it does not overwrite its parent's output.
run 0 fork unused late
sleep 1
grep -q '"name": "_Z5brief' "$SLUICE_STATS" || fail "the child has overwritten its parent's statistics"

finish
