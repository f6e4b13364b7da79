/* The preload table and the controller at the dispatcher (sections 3.2.1 and 3.2.2). */
#include "mech/teleport/teleport.h"

#include <stdio.h>
#include <string.h>

/* A block whose rows are being read, or are to be read. */
struct job {
	uint64_t number; /* of the block */
	uint32_t sm, slot;
	struct mech_dim index;
};

enum { MAX_REPORTED = 32 };

__extension__ typedef __int128 wide; /* Eq. 2 and 3 cannot overflow this type, for any row and block */

struct controller {
	struct mech_rows table;
	struct teleport_stale *stale; /* of this kernel, or NULL */
	/* Jobs in the order of dispatch, as a ring. It grows when blocks do not wait and end before they are loaded. */
	struct job *job;
	uint32_t head, jobs, room;
	/* State of the first job: the row being requested, and its remaining range [next, end). An empty range means
	 * that the row has not been read yet. */
	uint32_t row;
	uint64_t next, end;
	const char *reported[MAX_REPORTED]; /* kernels already reported for rows that did not fit */
	uint32_t reports;
};

static struct controller *controller_of(const struct mech_gpu *gpu)
{
	return *(struct controller *const *)gpu->state;
}

void teleport_gpu_open(struct mech_gpu *gpu)
{
	static const enum mech_preference preferences[] = {[TELEPORT_FIRST] = MECH_BEFORE_SMS,
	                                                   [TELEPORT_CORES_FIRST] = MECH_AFTER_SMS,
	                                                   [TELEPORT_ALTERNATE] = MECH_ALTERNATE};
	const struct teleport_config *config = gpu->config;
	struct controller *controller = mech_alloc(gpu->pool, sizeof *controller);
	*controller = (struct controller){.room = gpu->machine->sms * gpu->machine->blocks};
	*(struct controller **)gpu->state = controller;
	controller->job = mech_alloc(gpu->pool, controller->room * sizeof *controller->job);
	mech_prefer(gpu, preferences[config->arbitration]);
}

struct teleport_stale *teleport_stale_of(const struct mech_gpu *gpu)
{
	return controller_of(gpu)->stale;
}

bool teleport_loads(const struct mech_gpu *gpu)
{
	const struct controller *controller = controller_of(gpu);
	return controller->table.rows > 0;
}

/* Whether space for the buffer remains at full occupancy. */
static bool has_room(const struct mech_gpu *gpu)
{
	const struct teleport_config *config = gpu->config;
	uint64_t a_way = (uint64_t)config->sets * gpu->machine->line_bytes;
	return config->model != TELEPORT_REAL || gpu->launch->shared_taken + a_way <= config->buffer_kb * 1024ull;
}

/* Whether this kernel has not been reported yet. Each kernel is reported once. */
static bool is_new(struct mech_gpu *gpu, struct controller *controller)
{
	for (uint32_t i = 0; i < controller->reports; i++)
		if (strcmp(controller->reported[i], gpu->launch->kernel) == 0)
			return false;
	if (controller->reports == MAX_REPORTED)
		return false;
	size_t size = strlen(gpu->launch->kernel) + 1;
	char *name = mech_alloc(gpu->pool, size);
	memcpy(name, gpu->launch->kernel, size);
	controller->reported[controller->reports++] = name;
	return true;
}

/* Keeps which kernels have been reported. */
void teleport_gpu_keep(struct mech_gpu *gpu, struct mech_kept *kept)
{
	struct controller *controller = controller_of(gpu);
	mech_keep(kept, &controller->reports, sizeof controller->reports);
	for (uint32_t i = 0; i < controller->reports && i < MAX_REPORTED; i++)
		mech_keep_text(kept, gpu->pool, &controller->reported[i]);
}

static void report_dropped(struct mech_gpu *gpu, const struct controller *controller)
{
	const struct teleport_config *config = gpu->config;
	char text[512];
	int length =
		snprintf(text, sizeof text, "kernel %s: the preload table's %u entries are full, %u rows are dropped",
	                 gpu->launch->kernel, config->table_entries, controller->table.dropped);
	if (controller->table.dropped_reads && length > 0 && (size_t)length < sizeof text)
		snprintf(text + length, sizeof text - (size_t)length, " (%llu lane reads of a block)",
		         (unsigned long long)controller->table.dropped_reads);
	mech_say(gpu, text);
}

static void report_unfit(struct mech_gpu *gpu, uint32_t unfit)
{
	const struct teleport_config *config = gpu->config;
	char text[512];
	snprintf(text, sizeof text,
	         "kernel %s: %u rows have products or offsets beyond the preload table's fields of %u bits and are not "
	         "loaded (teleport:field_bits=N widens the fields)",
	         gpu->launch->kernel, unfit, config->field_bits);
	mech_say(gpu, text);
}

/* Removes the rows that do not fit the table's fields. Returns their number. */
static uint32_t keep_fitting(struct mech_gpu *gpu, struct controller *controller)
{
	uint32_t rows = controller->table.rows;
	struct mech_row *fitting = mech_alloc(gpu->kernel_pool, (rows + 1) * sizeof *fitting);
	controller->table.rows = teleport_fitting_rows(gpu, &controller->table, fitting);
	controller->table.row = fitting;
	return rows - controller->table.rows;
}

void teleport_gpu_kernel_begin(struct mech_gpu *gpu)
{
	const struct teleport_config *config = gpu->config;
	struct controller *controller = controller_of(gpu);
	struct teleport_stats *stats = gpu->stats;
	controller->jobs = controller->head = 0;
	controller->table = mech_rows(gpu, config->table_entries, (enum mech_loops)config->loops);
	uint32_t unfit = keep_fitting(gpu, controller);
	if ((controller->table.dropped || unfit) && is_new(gpu, controller)) {
		if (controller->table.dropped)
			report_dropped(gpu, controller);
		if (unfit)
			report_unfit(gpu, unfit);
	}
	if (!has_room(gpu))
		controller->table.rows = 0;
	stats->rows = controller->table.rows;
	stats->dropped_rows = controller->table.dropped;
	stats->unfit_rows = unfit;
	stats->kernels_without_rows = !controller->table.rows;
	controller->stale = config->look_stale ? teleport_stale_open(gpu) : NULL;
	for (uint32_t s = 0; controller->stale && s < gpu->machine->sms; s++)
		mech_keep_in_step(gpu, s);
}

/* Returns the size of the request for [first, end) of a line. It is the sector, half or line that contains the
 * bytes, by the rule of instructions' transactions. */
static uint64_t packet_bytes(const struct mech_gpu *gpu, uint64_t first, uint64_t end)
{
	const struct teleport_config *config = gpu->config;
	uint64_t bytes = config->request == TELEPORT_LINES ? gpu->machine->line_bytes : MECH_SECTOR;
	while (first / bytes != (end - 1) / bytes)
		bytes *= 2;
	return bytes;
}

/* Extends the non-empty range [first, end) to the boundaries of requests. */
static void grow(const struct mech_gpu *gpu, uint64_t *first, uint64_t *end)
{
	uint64_t line = gpu->machine->line_bytes;
	uint64_t first_ends = (*first | (line - 1)) + 1, last_begins = (*end - 1) & ~(line - 1);
	uint64_t in_first = packet_bytes(gpu, *first, first_ends < *end ? first_ends : *end);
	uint64_t in_last = packet_bytes(gpu, last_begins > *first ? last_begins : *first, *end);
	*first &= ~(in_first - 1);
	*end = ((*end - 1) | (in_last - 1)) + 1;
}

/* Computes the range of a row for a block by Eq. 2 and 3. Returns false if it is empty. */
static bool range_of(const struct mech_row *row, struct mech_dim block, uint64_t *first, uint64_t *end)
{
	wide index[3] = {block.x, block.y, block.z}, low = row->low, high = row->high;
	for (uint32_t i = 0; i < 3; i++) {
		low += index[i] * row->low_by[i];
		high += index[i] * row->high_by[i];
	}
	low = row->base + low > row->first ? row->base + low : row->first;
	high = row->base + high < row->end ? row->base + high : row->end;
	if (low >= high)
		return false;
	*first = (uint64_t)low;
	*end = (uint64_t)high;
	return true;
}

/* The same range, extended to the boundaries of requests. */
static bool evaluate(const struct mech_gpu *gpu, const struct mech_row *row, struct mech_dim block, uint64_t *first,
                     uint64_t *end)
{
	if (!range_of(row, block, first, end))
		return false;
	grow(gpu, first, end);
	return true;
}

/* Counts a block's data. If `fill` is not NULL, also puts them into that SM's buffer at once. */
static void count_block(struct mech_gpu *gpu, const struct mech_block *block, struct mech_sm *fill)
{
	const struct controller *controller = controller_of(gpu);
	struct teleport_stats *stats = gpu->stats;
	uint64_t bytes = 0, row_bytes = 0, first, end;
	for (uint32_t i = 0; i < controller->table.rows; i++) {
		if (!range_of(&controller->table.row[i], block->index, &first, &end))
			continue;
		row_bytes += end - first;
		grow(gpu, &first, &end);
		if (fill)
			mech_put(fill, first, (uint32_t)(end - first), block->slot);
		if (fill && controller->stale)
			teleport_stale_fill(gpu, fill->sm, first, end - first, block->cycle);
		bytes += end - first;
	}
	stats->loaded_blocks += bytes > 0;
	if (bytes > stats->largest_block_bytes)
		stats->largest_block_bytes = bytes;
	if (row_bytes > stats->largest_block_row_bytes)
		stats->largest_block_row_bytes = row_bytes;
}

static void add_job(struct mech_gpu *gpu, struct controller *controller, const struct job *job)
{
	uint32_t room = controller->room;
	if (controller->jobs == room) {
		struct job *ring = mech_alloc(gpu->pool, 2 * (size_t)room * sizeof *ring);
		for (uint32_t i = 0; i < room; i++)
			ring[i] = controller->job[(controller->head + i) % room];
		controller->job = ring;
		controller->head = 0;
		controller->room = 2 * room;
	}
	controller->job[(controller->head + controller->jobs++) % controller->room] = *job;
}

void teleport_gpu_block(struct mech_gpu *gpu, const struct mech_block *block)
{
	const struct teleport_config *config = gpu->config;
	struct controller *controller = controller_of(gpu);
	if (!controller->table.rows)
		return;
	bool at_once = config->model == TELEPORT_I || config->model == TELEPORT_S;
	count_block(gpu, block, at_once ? mech_part(gpu, block->sm) : NULL);
	if (config->model == TELEPORT_I)
		return;
	mech_keep_in_step(gpu, block->sm);
	add_job(gpu, controller, &(struct job){block->number, block->sm, block->slot, block->index});
}

/* Reads the job's next row, if any. A row may have no bytes for the block. */
static void read_row(struct mech_gpu *gpu, struct controller *controller)
{
	const struct job *job = &controller->job[controller->head];
	if (controller->row == controller->table.rows)
		return;
	const struct mech_row *row = &controller->table.row[controller->row];
	if (evaluate(gpu, row, job->index, &controller->next, &controller->end))
		return;
	controller->next = controller->end = 0;
	controller->row++;
}

static struct mech_request next_request(const struct mech_gpu *gpu, const struct controller *controller)
{
	const struct teleport_config *config = gpu->config;
	const struct job *job = &controller->job[controller->head];
	uint64_t line_end = (controller->next & ~(uint64_t)(gpu->machine->line_bytes - 1)) + gpu->machine->line_bytes;
	uint64_t end = line_end < controller->end ? line_end : controller->end;
	return (struct mech_request){.address = controller->next,
	                             .bytes = (uint32_t)(end - controller->next),
	                             .to = config->model == TELEPORT_S ? MECH_TO_NOTHING : MECH_TO_BUFFER,
	                             .pc = controller->table.row[controller->row].pc,
	                             .block = job->slot,
	                             .tag = job->number,
	                             .urgent = config->urgent};
}

/* Returns the job's block; NULL when it has ended, which is possible when blocks do not wait. */
static struct teleport_block *block_of(const struct mech_gpu *gpu, const struct job *job)
{
	struct teleport_sm *sm = mech_part(gpu, job->sm)->state;
	struct teleport_block *block = &sm->block[job->slot];
	return block->is_resident && block->number == job->number ? block : NULL;
}

static void end_job(struct mech_gpu *gpu, struct controller *controller, uint64_t cycle)
{
	const struct job *job = &controller->job[controller->head];
	struct teleport_block *block = block_of(gpu, job);
	if (block) {
		block->all_asked = true;
		teleport_release_if_loaded(mech_part(gpu, job->sm), job->slot, cycle);
	}
	mech_let_go(gpu, job->sm);
	controller->head = (controller->head + 1) % controller->room;
	controller->jobs--;
	controller->row = 0;
	controller->next = controller->end = 0;
}

/* Puts the row's next request into the queue to the network. Returns false when the queue is full. */
static bool send_next(struct mech_gpu *gpu, struct controller *controller)
{
	const struct job *job = &controller->job[controller->head];
	struct teleport_stats *stats = gpu->stats;
	const struct mech_request request = next_request(gpu, controller);
	if (!mech_send_to(gpu, job->sm, &request)) {
		stats->blocked_cycles++;
		return false;
	}
	struct teleport_block *block = block_of(gpu, job);
	if (block)
		block->asked++;
	controller->next += request.bytes;
	if (controller->next == controller->end) {
		controller->row++;
		read_row(gpu, controller); /* while the last request leaves */
	}
	return true;
}

/* Whether the job's data are no longer needed. S sends all requests in any case, for their traffic. */
static bool is_void(const struct mech_gpu *gpu, const struct job *job)
{
	const struct teleport_config *config = gpu->config;
	return config->model != TELEPORT_S && !block_of(gpu, job);
}

/* Reads one row or sends one request. Returns false when no more is possible in this cycle. */
static bool step(struct mech_gpu *gpu, struct controller *controller, uint64_t cycle)
{
	if (is_void(gpu, &controller->job[controller->head])) {
		end_job(gpu, controller, cycle);
		return true;
	}
	if (controller->next == controller->end)
		read_row(gpu, controller);
	else if (!send_next(gpu, controller))
		return false;
	if (controller->row == controller->table.rows && controller->next == controller->end)
		end_job(gpu, controller, cycle);
	return true;
}

uint64_t teleport_gpu_cycle(struct mech_gpu *gpu, uint64_t cycle)
{
	const struct teleport_config *config = gpu->config;
	struct controller *controller = controller_of(gpu);
	for (uint32_t i = 0; controller->jobs && i < config->rate && step(gpu, controller, cycle); i++) {
	}
	if (controller->stale)
		teleport_stale_cycle(gpu, cycle);
	return controller->jobs || controller->stale ? cycle + 1 : MECH_NEVER;
}

/* S is R without the waiting (section 5.2): it sends all of R's requests, although its blocks may end earlier. */
bool teleport_may_end(struct mech_gpu *gpu, const struct mech_end *end)
{
	const struct teleport_config *config = gpu->config;
	(void)end;
	bool waits = controller_of(gpu)->jobs || mech_room_to_send(gpu) < gpu->machine->send_queue;
	return config->model != TELEPORT_S || !waits;
}
