/* api: declarations shared by the files that implement include/sluice.h. */
#ifndef SLUICE_API_API_H
#define SLUICE_API_API_H

#include "sluice.h"

#include "attach/attach.h"
#include "attach/energies.h"
#include "attach/error.h"
#include "base/digest.h"
#include "gpgpusim/config.h"
#include "api/instruction_trace.h"
#include "api/kernel.h"
#include "api/queue.h"
#include "attach/passes.h"
#include "output/record.h"
#include "sampling/sampling.h"
#include "sampling/selection.h"
#include "output/stats_file.h"
#include "output/recorders.h"
#include "output/unit_totals.h"
#include "output/units.h"
#include "gpu/gpu.h"
#include "simt/texture.h"

struct footprint;
struct journal;
struct simt_checks;

/* Ranges that the program announced: the bytes that blocks will read. */
struct announcements {
	struct sluice_range *range;
	uint32_t count;
	bool used; /* the program made an announcement, perhaps an empty one */
};

struct sluice_module {
	sluice_gpu *gpu;
	struct ptx_module *ptx;
	struct sluice_kernel *kernel;
	size_t kernels;
	uint64_t constant_bytes;
	struct digest code; /* of its PTX; only with a journal */
	sluice_module *next;
};

/* kernel.NAME.registers=N or kernel.NAME.max_registers=N. Exactly one of the two numbers is not 0. */
struct kernel_setting {
	char *kernel;
	uint32_t registers, max_registers;
};

struct sluice_gpu {
	struct machine machine;
	struct gpgpusim_options gpgpusim; /* of a machine read from a GPGPU-Sim configuration */
	struct attachments attachments;
	char *warnings; /* of sluice_open(), a line each; or NULL */
	char *in_turn;  /* why kernels do not run together, if a mechanism is the reason; or NULL */
	const char *children_in_turn; /* why launches by kernels ran after their kernels; NULL: none did */
	struct passes passes;
	struct gpu *gpu;
	bool functional;
	uint64_t max_instructions, instructions; /* thread instructions: limit (0: none), executed so far */
	void (*progress)(void *user, const char *kernel, uint64_t blocks_done, uint64_t blocks, uint64_t cycles,
	                 uint64_t warp_instructions);
	void *progress_user;
	struct simt_checks *checks; /* NULL: no checks */
	struct footprint *footprint; /* NULL: reads are not compared with the predicted rows */
	bool whole_warp_barriers;
	bool looks_for_leaks; /* the check "leaks" is on */
	bool compares_works;  /* the check "global-race" is on */
	void (*finding)(void *user, const char *text);
	void *finding_user;
	void (*stray_read)(void *user, const char *text);
	void *stray_read_user;
	atomic_bool stop; /* set by sluice_stop() */
	_Atomic(const char *) stop_cause;
	struct announcements announced;
	struct textures textures;
	struct kernel_setting *kernel_settings;
	size_t kernel_setting_count;
	sluice_module *modules;
	struct energies energies;    /* set when settings->energy is given */
	struct energy_prices prices; /* from `energies`, for the records */
	struct records records;
	struct stats_file stats_file;
	struct recorders recorders;
	struct journal *journal; /* NULL: there is none */
	struct trace_writer *trace_out; /* settings->trace_out, or NULL */
	struct sampling sampling;
	struct selection selection;
	struct unit_totals unit_totals;
	struct {
		uint64_t launch; /* number of the launch that runs in cycles, or 0 */
		uint64_t cycle;  /* of its last visit */
		bool is_visited; /* on_interval runs */
	} live;
	void (*on_interval)(void *user, uint64_t launch, uint64_t cycle);
	void *interval_user;
	uint64_t interval;
	char **counter_names; /* by number; NULL before the first query */
	struct queue queue;
	uint64_t stream; /* of launches without a queue, for their records */
	uint64_t functional_launches;
	double estimated_seconds; /* time of the functional launches, estimated */
	uint64_t code_bytes; /* size of all programs prepared so far */
};

/* check.c: parses the setting's words into a set of check kinds. api_open_checks() takes the set when the GPU's memory
 * exists. */
unsigned api_parse_checks(const char *check, struct diag *diag);
/* True when the set has a check that records accesses of all blocks in one table, which needs one host thread. */
bool api_checks_want_one_thread(unsigned kinds);
enum sluice_status api_open_checks(sluice_gpu *gpu, unsigned kinds, struct sluice_error *error);
/* Called before a launch whose parameters are in place, and after it to report findings. `waited_for`: the parent
 * launch waits for this nested one. Its reads are not compared with predicted rows. */
void api_begin_checks(sluice_gpu *gpu, sluice_kernel *kernel, struct simt_launch *launch, bool waited_for);
void api_end_checks(sluice_gpu *gpu, const struct simt_launch *launch, bool waited_for);
/* The work of a stream that is in progress, if any (sluice_order_work()), accesses a range of memory. The memory has a
 * new owner. */
void api_check_touch(sluice_gpu *gpu, uint64_t address, uint64_t size, bool writes);
void api_check_forget(sluice_gpu *gpu, uint64_t address, uint64_t size);
/* Reports what the launch has found so far. */
void api_report_checks(sluice_gpu *gpu, const struct simt_launch *launch);

/* analyses.c: what mechanisms can query about a launch. */
struct launch_analyses {
	sluice_gpu *gpu;
	sluice_kernel *kernel;
	const struct simt_launch *launch;
	struct arena arena;
};
/* Returns the query functions for a mechanism. `known` must outlive them; free known->arena afterwards. */
struct seam_analyses api_analyses(struct launch_analyses *known);
/* allocations.c: lists device memory with names and addresses. `known` is a struct launch_analyses. */
const struct mech_allocation *api_allocations(void *known, uint32_t *count);
/* counters.c: frees the table of counter names. */
void api_free_counter_names(sluice_gpu *gpu);
/* mechanism.c: stores the mechanisms' counters of the launch in its record. `kernel` NULL: of a session, where no
 * mechanism sends requests. */
void api_record_mechanisms(const sluice_gpu *gpu, sluice_kernel *kernel, uint32_t place, struct record *record);

#endif
