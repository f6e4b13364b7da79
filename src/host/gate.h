/* gate: a number that one thread sets and others wait for.
 *
 * Who waits looks for a while, since steps of a simulation follow each other in microseconds, then lets other threads have
 * the core, and then sleeps, so that more threads than cores still get on.
 */
#ifndef SLUICE_HOST_GATE_H
#define SLUICE_HOST_GATE_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct gate {
	_Alignas(64) _Atomic uint64_t number; /* only grows */
	_Atomic uint32_t sleepers;
	uint32_t looks; /* before a waiter gives its core away */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* How many cores of the host this process may use. */
uint32_t gate_cores(void);
/* Nanoseconds of a clock that only goes forward. */
uint64_t gate_clock(void);

/* With fewer cores than threads, nobody looks long. */
void gate_open(struct gate *gate, uint32_t threads);
void gate_close(struct gate *gate);

void gate_wake(struct gate *gate);
void gate_sleep(struct gate *gate, uint64_t number);

/* Everything written before is seen by who was waiting. */
static inline void gate_set(struct gate *gate, uint64_t number)
{
	assert(atomic_load_explicit(&gate->number, memory_order_relaxed) < number);
	atomic_store(&gate->number, number);
	if (atomic_load(&gate->sleepers))
		gate_wake(gate);
}

/* Until the number is at least `number`. */
static inline void gate_await(struct gate *gate, uint64_t number)
{
	for (uint32_t i = 0; i < gate->looks; i++) {
		if (atomic_load_explicit(&gate->number, memory_order_acquire) >= number)
			return;
#if defined(__x86_64__)
		__builtin_ia32_pause();
#endif
	}
	gate_sleep(gate, number);
}

#endif
