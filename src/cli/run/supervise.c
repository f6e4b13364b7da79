/* --timeout for any program: `sluice run` remains its parent and ends it. A program that loads our runtime ends itself,
 * with its statistics. It is killed here only if it does not. */
#include "cli/run/supervise.h"

#include "base/file.h"
#include "cli/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds that a program has to end: by its own runtime; by its children's, if it has none; after SIGTERM. */
enum { BY_RUNTIME = 10, BY_CHILDREN = 1, BY_SIGNAL = 2 };

struct supervised {
	const struct run *run;
	pid_t child;
	sigset_t signals; /* signals that the parent waits for */
	enum { RUNNING, LATE, ASKED, KILLED } state;
	double until; /* start of the next state */
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool simulates(pid_t child)
{
	char path[40];
	size_t length;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)child);
	char *maps = file_read(path, &length);
	bool does = maps && strstr(maps, "/libcudart.so");
	free(maps);
	return does;
}

static void end(struct supervised *program)
{
	switch (program->state) {
	case RUNNING:
		program->state = LATE;
		program->until += simulates(program->child) ? BY_RUNTIME : BY_CHILDREN;
		break;
	case LATE:
		cli_error(program->run->name, "stopped: it ran longer than the %s seconds of --timeout",
		          program->run->timeout);
		kill(program->child, SIGTERM);
		program->state = ASKED;
		program->until += BY_SIGNAL;
		break;
	case ASKED:
		kill(program->child, SIGKILL);
		program->state = KILLED;
		program->until += BY_RUNTIME;
		break;
	case KILLED:
		/* a process may be in an uninterruptible sleep in the kernel: keep waiting */
		program->until += BY_RUNTIME;
		break;
	}
}

/* Passes a signal on, unless a terminal has sent it to the program too. */
static void pass_on(const struct supervised *program, const siginfo_t *signal)
{
	bool has_it = signal->si_code == SI_KERNEL && (signal->si_signo == SIGINT || signal->si_signo == SIGQUIT);
	if (signal->si_signo != SIGCHLD && !has_it)
		kill(program->child, signal->si_signo);
}

/* Waits for the program's end. Returns the status of waitpid(). */
static int wait_for(struct supervised *program)
{
	int status;
	while (waitpid(program->child, &status, WNOHANG) != program->child) {
		double left = program->until - now();
		if (left <= 0) {
			end(program);
			continue;
		}
		struct timespec pause = {.tv_sec = (time_t)left,
		                         .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
		siginfo_t signal;
		if (sigtimedwait(&program->signals, &signal, &pause) > 0)
			pass_on(program, &signal);
	}
	return status;
}

/* Returns a child of this process; 0: there is none. */
static pid_t any_child(void)
{
	char path[60];
	size_t length;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	char *children = file_read(path, &length);
	pid_t child = children ? (pid_t)strtol(children, NULL, 10) : 0;
	free(children);
	return child;
}

/* Kills the processes that a late program has left. Each becomes this process's child when its parent has ended. */
static void end_orphans(void)
{
	for (pid_t child; (child = any_child()) > 0;) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
}

/* Ends by the same signal as the program did. */
static int die_by(int signal)
{
	struct rlimit none = {0};
	sigset_t only;
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&only);
	sigaddset(&only, signal);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	raise(signal);
	return 128 + signal;
}

int run_supervised(const struct run *run, int (*become)(const struct run *run, const char *file, char *const *program),
                   const char *file, char *const *program)
{
	static const int caught[] = {SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
	struct supervised supervised = {.run = run, .until = now() + strtod(run->timeout, NULL)};
	sigset_t before;
	pid_t parent = getpid();
	sigemptyset(&supervised.signals);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(&supervised.signals, caught[i]);
	sigprocmask(SIG_BLOCK, &supervised.signals, &before);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	supervised.child = fork();
	if (supervised.child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigprocmask(SIG_SETMASK, &before, NULL);
		_exit(getppid() == parent ? become(run, file, program) : CLI_FAILED);
	}
	if (supervised.child < 0) {
		cli_error(run->name, "cannot start %s: %s", file, strerror(errno));
		return CLI_CANNOT_RUN;
	}
	int status = wait_for(&supervised);
	if (supervised.state >= ASKED) {
		end_orphans();
		return SLUICE_EXIT_STOPPED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : die_by(WTERMSIG(status));
}
