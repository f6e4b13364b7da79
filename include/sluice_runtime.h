/* sluice_runtime: calls of libsluice for Sluice's own CUDA runtime and command, which are built together with it.
 *
 * This header is not installed: its calls can change in every version. The rules at the head of sluice.h hold. A signal
 * handler, and another thread during a call with the same gpu, may call sluice_stop_for() and sluice_stats_note_end().
 */
#ifndef SLUICE_RUNTIME_H
#define SLUICE_RUNTIME_H

#include "sluice.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- memory --- */

/* Unused bytes after each allocation, which detect accesses just past its end (check "bounds"); 0: none. */
SLUICE_API uint64_t sluice_allocation_gap(const sluice_gpu *gpu);
/* A host address at which the next `size` bytes to map are best placed: kernels then see the same addresses in every
 * run. No result depends on it. 0: no suggestion. */
SLUICE_API uint64_t sluice_map_host_place(const sluice_gpu *gpu, uint64_t size);

/* Memory that a kernel allocated and that is live. */
struct sluice_leak {
	uint64_t address, size;
	const char *place; /* the kernel and the line of its call; lives until the next call with the gpu */
};
/* True with the check "leaks". */
SLUICE_API bool sluice_looks_for_leaks(const sluice_gpu *gpu);
/* With the check "leaks": writes the first live memory above an address that a kernel has allocated; false: no more. */
SLUICE_API bool sluice_next_leak(const sluice_gpu *gpu, uint64_t above, struct sluice_leak *leak);

/* --- launches --- */

/* Fails as sluice_launch() or, with `cooperative`, sluice_launch_cooperative() fails for such a grid and block; runs
 * nothing. */
SLUICE_API enum sluice_status sluice_check_launch(sluice_gpu *gpu, sluice_kernel *kernel, sluice_dim grid,
                                                  sluice_dim block, uint32_t dynamic_shared_bytes, bool cooperative,
                                                  struct sluice_error *error);

/* --- work of streams --- */

/* Work is a launch, or a call of the host between launches. It starts when all work that it follows has ended.
 * Launches that do not follow each other run at the same time, within launch.concurrent and launch.queues. All work is
 * numbered from 1. A launch that fails ends all work: calls that have not run are called with `run` false.
 *
 * Queued work runs in sluice_queue_wait() and sluice_queue_finish() only. While some is left, no sluice_launch() and no
 * call that needs results of launches may be made: sluice_queue_finish() comes first. */

/* NULL when work can be queued. Else the reason for which launches run in turn, by sluice_launch(). */
SLUICE_API const char *sluice_queue_refused(const sluice_gpu *gpu);
/* The program uses several streams: the statistics will have that reason. */
SLUICE_API void sluice_queue_note_in_turn(sluice_gpu *gpu);
/* NULL, or why launches by kernels have run after the kernels that launched them. */
SLUICE_API const char *sluice_queue_children_refused(const sluice_gpu *gpu);

/* Fails with SLUICE_BAD_SETTING when a run with the gpu's other settings cannot have a journal. */
SLUICE_API enum sluice_status sluice_journal_check(const sluice_gpu *gpu, struct sluice_error *error);

struct sluice_grid {
	sluice_dim grid, block;
	uint32_t dynamic_shared_bytes;
	void *const *arguments; /* copied */
};

/* Where work stands. */
struct sluice_place {
	const uint64_t *after; /* numbers of work that it follows; 0 is ignored */
	size_t after_count;
	uint64_t stream;  /* of a launch: for its record, and for the choice of its hardware queue */
	int32_t priority; /* of a launch: a greater one starts first, and its blocks too */
};

/* Checks a launch as sluice_launch() does and queues it. Writes its number. */
SLUICE_API enum sluice_status sluice_queue_launch(sluice_gpu *gpu, sluice_kernel *kernel,
                                                  const struct sluice_grid *grid, const struct sluice_place *place,
                                                  uint64_t *number, struct sluice_error *error);
/* Queues a call. It is called once: with `run` false when the work is dropped. It must not call sluice_queue_*().
 * Returns its number. */
SLUICE_API uint64_t sluice_queue_call(sluice_gpu *gpu, void (*call)(void *user, bool run), void *user,
                                      const struct sluice_place *place);
/* True when copies between host and device take simulated time: the machine has link.bandwidth or link.latency, and the
 * run is not functional. */
SLUICE_API bool sluice_copies_take_time(const sluice_gpu *gpu);
/* Queues a copy, which needs a copy engine for its time. `call` makes it, at its end. Without such times it is a call
 * like others. */
SLUICE_API uint64_t sluice_queue_copy(sluice_gpu *gpu, bool to_host, uint64_t bytes,
                                      void (*call)(void *user, bool run), void *user,
                                      const struct sluice_place *place);
/* 0 when all work has ended; else at least the number of works that have not. */
SLUICE_API size_t sluice_queue_length(const sluice_gpu *gpu);
/* True for number 0 too. */
SLUICE_API bool sluice_queue_has_ended(const sluice_gpu *gpu, uint64_t number);
/* Runs queued work until this one has ended. Others may be in progress then; the next call goes on with them. */
SLUICE_API enum sluice_status sluice_queue_wait(sluice_gpu *gpu, uint64_t number, struct sluice_error *error);
/* Runs all queued work. */
SLUICE_API enum sluice_status sluice_queue_finish(sluice_gpu *gpu, struct sluice_error *error);
/* Ends launches in progress, with records of their work so far, and drops the rest. */
SLUICE_API void sluice_queue_cut(sluice_gpu *gpu);
/* True after sluice_stop(). */
SLUICE_API bool sluice_is_stopped(const sluice_gpu *gpu);

/* Work of a stream that runs at once, and its order, for the check "global-race". Works of a chain follow each other.
 * `clock` has, for each chain, the number of its works that have ended before this one begins; for its own chain it is
 * `time`, the work's own number, from 1. */
struct sluice_ordered_work {
	const char *call; /* of a copy or a fill: the call's name. It must live until the work ends */
	void *const *frame; /* its return addresses, copied, and a function that prints callers: " at main (a.cu:3)" */
	uint32_t frames;
	void (*describe)(void *const *frame, uint32_t frames, char *text, size_t size);
	uint64_t stream;
	uint32_t chain, time;
	const uint32_t *clock; /* copied */
	uint32_t chains;
};

/* True when works of different streams are compared. */
SLUICE_API bool sluice_compares_works(const sluice_gpu *gpu);
/* Begins such a work: launches, copies and fills from now on are part of it. NULL: ends it, and reports its findings.
 * Launches and copies outside of works are not compared. */
SLUICE_API void sluice_order_work(sluice_gpu *gpu, const struct sluice_ordered_work *work);
/* All works so far have ended before any later one begins. Chains and times are used again. */
SLUICE_API void sluice_order_all(sluice_gpu *gpu);

/* The stream that the records of launches by sluice_launch() have from now on. */
SLUICE_API void sluice_note_stream(sluice_gpu *gpu, uint64_t stream);

/* --- the end of a process --- */

/* Stops the gpu like sluice_stop() and names the cause, which the launch's record shows as `stopped_by`. The first
 * cause counts. The text must live as long as the gpu. */
SLUICE_API void sluice_stop_for(sluice_gpu *gpu, const char *cause);
/* Writes into the file of sluice_stats_keep() how the process ended; nothing is added to the file after that. For
 * handlers of signals that end the process. Waits for a thread that writes into the file. */
SLUICE_API void sluice_stats_note_end(sluice_gpu *gpu, const char *how);

/* --- mechanisms and energies, as plans name them --- */

/* Returns a length: that of the shared object's path at the beginning of a mechanism's text, in bytes. 0: the mechanism
 * is built in. */
SLUICE_API size_t sluice_mechanism_path(const char *mechanism);
/* Prints the attached mechanisms, one per line, with all their options. */
SLUICE_API void sluice_mechanisms_write(const sluice_gpu *gpu, FILE *file);
/* True when an attached mechanism counts "NAME.counter", or "NAME.vector[]". */
SLUICE_API bool sluice_mechanisms_count(const sluice_gpu *gpu, const char *counter);
/* Writes event kind `number`, from 0, of the attached mechanisms' timelines as "NAME.event"; false: there are fewer. */
SLUICE_API bool sluice_mechanisms_event(const sluice_gpu *gpu, size_t number, char *name, size_t size);
/* A part of the attached mechanisms' hardware. Texts live as long as the gpu. */
struct sluice_cost {
	const char *mechanism, *what, *unit;
	double value;
};
/* Writes cost `number`, from 0, of the attached mechanisms on this machine; false: there are fewer. */
SLUICE_API bool sluice_mechanisms_cost(const sluice_gpu *gpu, size_t number, struct sluice_cost *cost);
/* True when the statistics have this energy of each launch: "energy.total", or "energy." and a component. The gpu was
 * opened with `energy`. */
SLUICE_API bool sluice_energy_has(const sluice_gpu *gpu, const char *name);

#ifdef __cplusplus
}
#endif
#endif
