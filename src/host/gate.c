#include "host/gate.h"

#include <sched.h>
#include <unistd.h>

enum { SPINS = 4096, FEW_SPINS = 1, YIELDS = 64 };

uint32_t gate_cores(void)
{
	cpu_set_t allowed;
	if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
		return (uint32_t)CPU_COUNT(&allowed);
	long online = sysconf(_SC_NPROCESSORS_ONLN); /* more cores than fit in a cpu_set_t */
	return online > 0 ? (uint32_t)online : 1;
}

void gate_open(struct gate *gate, uint32_t threads)
{
	gate->number = 0;
	gate->sleepers = 0;
	gate->spins = threads <= gate_cores() ? SPINS : FEW_SPINS;
	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
}

void gate_close(struct gate *gate)
{
	pthread_cond_destroy(&gate->changed);
	pthread_mutex_destroy(&gate->lock);
}

void gate_wake(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

static void sleep_until(struct gate *gate, uint64_t number)
{
	pthread_mutex_lock(&gate->lock);
	atomic_fetch_add(&gate->sleepers, 1);
	while (atomic_load(&gate->number) < number)
		pthread_cond_wait(&gate->changed, &gate->lock);
	atomic_fetch_sub(&gate->sleepers, 1);
	pthread_mutex_unlock(&gate->lock);
}

void gate_sleep(struct gate *gate, uint64_t number)
{
	/* Waking a thread costs tens of microseconds on a virtual machine. Another of our threads may only need the
	 * core, so this one yields first. */
	for (int i = 0; i < YIELDS; i++) {
		if (atomic_load_explicit(&gate->number, memory_order_acquire) >= number)
			return;
		sched_yield();
	}
	sleep_until(gate, number);
}
