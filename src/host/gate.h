/* gate: a number that one thread sets and others wait for.
 *
 * A waiting thread first polls for a while, because steps of a simulation follow each other within microseconds.
 * Then it yields its core to other threads, and finally sleeps. So more threads than cores still make progress.
 */
#ifndef SLUICE_HOST_GATE_H
#define SLUICE_HOST_GATE_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct gate {
	_Alignas(64) _Atomic uint64_t number; /* only increases */
	_Atomic uint32_t sleepers;
	uint32_t spins; /* polls before a waiting thread yields its core */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* Number of the host's cores that this process may use. */
uint32_t gate_cores(void);

/* With fewer cores than threads, waiting threads do not poll for long. */
void gate_open(struct gate *gate, uint32_t threads);
void gate_close(struct gate *gate);

void gate_wake(struct gate *gate);
void gate_sleep(struct gate *gate, uint64_t number);

/* Sets the number. Everything written before is visible to the waiting threads. */
static inline void gate_set(struct gate *gate, uint64_t number)
{
	assert(atomic_load_explicit(&gate->number, memory_order_relaxed) < number);
	atomic_store(&gate->number, number);
	if (atomic_load(&gate->sleepers))
		gate_wake(gate);
}

/* Waits until the number is at least `number`. */
static inline void gate_await(struct gate *gate, uint64_t number)
{
	for (uint32_t i = 0; i < gate->spins; i++) {
		if (atomic_load_explicit(&gate->number, memory_order_acquire) >= number)
			return;
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	}
	gate_sleep(gate, number);
}

#endif
