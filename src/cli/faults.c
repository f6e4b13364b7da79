/* Reports faults of mechanisms in the command's own process, which loads and checks mechanisms, opens machines with
 * them and runs their passes. */
#include "cli/commands.h"

#include "api/mechanism_fault.h"

enum { STACK = 1 << 16 };

static const int faults[] = MECHANISM_FAULTS;
enum { FAULTS = sizeof faults / sizeof *faults };

static struct sigaction before[FAULTS]; /* the previous actions, which are still executed */

static void on_fault(int signal, siginfo_t *info, void *context)
{
	int i = 0;
	mechanism_fault_tell(signal, info, context);
	while (faults[i] != signal)
		i++;
	mechanism_fault_pass_on(&before[i], signal, info, context);
}

void cli_watch_faults(void)
{
	static _Alignas(16) char stack[STACK];
	mechanism_fault_prepare(stack, sizeof stack);
	for (int i = 0; i < FAULTS; i++) {
		if (sigaction(faults[i], NULL, &before[i]) != 0)
			continue;
		struct sigaction action = before[i];
		action.sa_sigaction = on_fault;
		action.sa_flags = (before[i].sa_flags | SA_SIGINFO | SA_ONSTACK) & ~(int)SA_RESETHAND;
		sigaction(faults[i], &action, NULL);
	}
}
