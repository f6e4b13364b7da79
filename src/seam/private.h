/* private: declarations that only the files of this module use. */
#ifndef SLUICE_SEAM_PRIVATE_H
#define SLUICE_SEAM_PRIVATE_H

#include "seam/seam.h"

extern const struct mech_services seam_services; /* services.c */

/* --- kernels.c --- */

/* True when a mechanism has hooks of partitions, or of the GPU. Hooks of partitions may read a partition's statistics,
 * which cover both the request side and the reply side of the slice. */
bool seam_hooks_of_partitions(const struct mech *mech);
bool seam_hooks_of_gpu(const struct mech *mech);
/* False, with a message, when the mechanism's .kernels does not suit its hooks and policies. */
bool seam_check_kernels(const struct mech *mech, char *message, size_t size);
/* Some mechanism has separate parts for each kernel. */
bool seam_has_kernel_parts(const struct seam *seam);
/* Lists, by hook, the parts of kernels that run. */
void seam_list_parts(struct seam *seam);
/* One of several kernels has ended: keeps what its parts have counted. */
void seam_kernel_ended(struct seam *seam, uint32_t kernel);

/* seam.c: forgets what the units know of the kernels before. */
void seam_clear_units(struct seam *seam);

/* The mechanism of a part. */
static inline const struct seam_attached *seam_attached_of(const struct seam *seam, uint32_t number)
{
	return &seam->attached[number % seam->count];
}

/* Parts are those of kernels by their places. A kernel alone has the first ones. */
void seam_map_parts(struct seam *seam);

static inline struct seam_kernel *seam_kernel_of(const struct seam *seam, uint32_t number)
{
	return (struct seam_kernel *)&seam->kernel[seam->kernel_of[number]];
}

/* The index of a kernel's pool, and of other state that only kernels with parts have. */
static inline uint32_t seam_pool_of(uint32_t kernel)
{
	return kernel < SEAM_PARTS ? kernel : SEAM_PARTS;
}

/* The kernel of the block in a slot. */
static inline const struct mech_launch *seam_launch_at(const struct seam_sm *sm, uint32_t slot)
{
	return &sm->seam->kernel[sm->kernel_of[slot]].launch;
}

/* The requests for the words of the block's shared memory. */
static inline struct shared_fills *seam_fills_at(struct seam_sm *sm, uint32_t slot)
{
	return &sm->fills[seam_pool_of(sm->kernel_of[slot])];
}

/* --- call.c --- */

/* A hook of the part has run. If the mechanism has warps_that_compete, that hook may now return another
 * answer, so it is called again. After a hook of the GPU, this is done on all SMs that the hook may have touched. */
void seam_compete_again(struct seam_sm *sm);
void seam_compete_again_everywhere(const struct mech_gpu *part);

static inline void seam_ran(const struct mech_sm *part)
{
	if (part->mech->warps_that_compete)
		seam_compete_again(part->host);
}

static inline void seam_ran_gpu(const struct mech_gpu *part)
{
	if (part->mech->warps_that_compete)
		seam_compete_again_everywhere(part);
}

/* account.c: the counters for a request: its sender's, and those of its load if it has one. */
struct seam_counted {
	struct mech_requests *all;
	struct seam_load *load;
};

struct seam_counted seam_counted(struct seam_account *account, const struct seam *seam, uint32_t number, uint32_t pc);

#define SEAM_COUNT(counted, name)                                                                                      \
	((counted).all->name++, (counted).load ? (void)(counted).load->requests.name++ : (void)0)

/* account.c: seam_settle reports the outcome of a request of the SM. seam_came_late reports that the data of a late
 * request have arrived. */
void seam_settle(void *sm, enum base_prefetch_outcome outcome, const struct base_prefetch *prefetch);
void seam_came_late(void *sm, const struct base_prefetch *prefetch);

/* services.c: conditions of services. If one does not hold, the call of `service` is recorded as a mistake.
 * seam_in_kernel: a kernel runs. seam_in_gpu_hook: a hook of the GPU runs. seam_has_buffer: some mechanism has a buffer
 * in front of L1. seam_may_change: the service changes the run, and the mechanism does not only look. */
bool seam_in_kernel(const struct mech_sm *part, const char *service);
bool seam_in_gpu_hook(const struct mech_gpu *part, const char *service);
bool seam_has_buffer(const struct mech_sm *part, const char *service);
bool seam_may_change(const struct mech_sm *part, const char *service);

/* services.c: true when the SM cannot be ahead of the hook of the GPU that runs. */
bool seam_is_in_step(const struct mech_gpu *part, uint32_t sm);
/* services.c: the mechanism's part of the SM. */
struct mech_sm *seam_part_of(const struct mech_gpu *part, uint32_t sm);

/* requests.c: services. */
bool seam_send(struct mech_sm *part, const struct mech_request *request);
bool seam_send_to(struct mech_gpu *part, uint32_t sm, const struct mech_request *request);
uint32_t seam_room_to_send(const struct mech_gpu *part);
uint32_t seam_waiting_to_send(const struct mech_sm *part);

/* call.c: the highest-numbered part in the bit set `refusers`, or SEAM_NOBODY. */
uint32_t seam_last_of(uint32_t refusers);

/* shared.c: bytes of shared memory that resident blocks occupy; for requests that fill it, whether their fields are
 * valid, and their destination. */
uint32_t seam_shared_taken_now(struct seam_sm *sm);
uint32_t seam_shared_taken_at_most(struct seam *seam, uint32_t kernel);
bool seam_is_to_shared(const struct mech_request *request);
bool seam_fill_is_sound(const struct mech_sm *part, const char *service, uint32_t kernel,
                        const struct mech_request *request);
struct shared_fill *seam_new_fill(struct seam_sm *sm, uint32_t kernel, const struct mech_request *request);

/* warps.c: services. */
void seam_hold_warp(struct mech_sm *part, uint32_t slot);
void seam_wake_warp(struct mech_sm *part, uint32_t slot);
void seam_look_at_warp(struct mech_sm *part, uint32_t slot, struct mech_warp *warp);
void seam_rank_warp(struct mech_sm *part, uint32_t slot, uint32_t rank);
void seam_stop(struct mech_sm *part, const struct mech_issue *issue, uint32_t lane, const char *why);

/* live_stats.c: services. */
void seam_look_at_sm(struct mech_sm *part, struct mech_sm_live_stats *live);
void seam_look_at_partition(struct mech_partition *part, struct mech_partition_live_stats *live);

/* timeline.c: the block in that slot has ended, and a timeline is wanted. */
void seam_draw_block(struct seam_sm *sm, uint32_t slot, uint64_t end);

/* mistake.c: a hook has returned or requested something invalid. The machine continues safely until it is stopped. */
__attribute__((format(printf, 2, 3))) void seam_wrong(const struct mech_sm *part, const char *format, ...);
__attribute__((format(printf, 2, 3))) void seam_wrong_partition(const struct mech_partition *part, const char *format,
                                                                ...);
__attribute__((format(printf, 2, 3))) void seam_wrong_gpu(const struct mech_gpu *part, const char *format, ...);

#endif
