#include "output/timeline_format.h"

#include "base/arena.h"
#include "base/file.h"
#include "gpu/stats.h"
#include "seam/mech_numbers.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The machine's own events. */
static const struct mech_event_row block_row = {"block", "from a block's start to its end", {"number", "warps"}};
static const struct mech_event_row kernel_row = {"kernel", "a launch", {"launch", NULL}};

/* --- selection --- */

static const struct base_option wishes[] = {
	{"first", BASE_OPTION_F64, offsetof(struct timeline_filter, first), 0, 1e18, NULL, "cycles",
         "the first cycle shown"},
	{"last", BASE_OPTION_F64, offsetof(struct timeline_filter, last), 0, 1e18, NULL, "cycles",
         "the last cycle shown"},
	{"blocks", BASE_OPTION_BOOL, offsetof(struct timeline_filter, blocks), 0, 0, NULL, "",
         "true: blocks are shown"},
	{"counters", BASE_OPTION_U32, offsetof(struct timeline_filter, counters), 0, UINT32_MAX, NULL, "cycles",
         "cycles between two values of each counter; 0: no counters"},
	{"sms", BASE_OPTION_TEXT, offsetof(struct timeline_filter, sms), 0, 0, NULL, "",
         "SMs that are shown: all, or a list such as 0-3+7"},
};

static bool set_wish(struct timeline_filter *wish, char *pair, char *message, size_t size)
{
	char *value = strchr(pair, '=');
	if (value)
		*value++ = '\0';
	const struct base_option *option =
		value ? base_option_find(wishes, sizeof wishes / sizeof *wishes, pair) : NULL;
	if (option)
		return base_option_set(option, wish, value, message, size);
	snprintf(message, size, "'%s': expected first, last, blocks, counters or sms, and '=' with a value", pair);
	return false;
}

static bool read_wish(struct timeline_filter *wish, const char *text, char *message, size_t size)
{
	char *copy = base_strdup(text), *rest = NULL;
	bool good = true;
	for (char *pair = strtok_r(copy, ",", &rest); pair && good; pair = strtok_r(NULL, ",", &rest))
		good = set_wish(wish, pair, message, size);
	free(copy);
	return good;
}

/* Parses a list of SMs into bits. Returns false on a syntax error. */
static bool read_sms(const char *list, uint64_t sms[4])
{
	bool good = true;
	for (uint32_t sm = 0; sm < 256; sm++)
		if (mech_numbers_have(list, sm, &good))
			sms[sm / 64] |= UINT64_C(1) << sm % 64;
	return good;
}

static bool set_wishes(struct timeline_file *file, const char *wish, char *message, size_t size)
{
	file->wish = (struct timeline_filter){.last = 1e18, .blocks = true, .sms = "all"};
	if (wish && !read_wish(&file->wish, wish, message, size))
		return false;
	if (read_sms(file->wish.sms, file->sms))
		return true;
	snprintf(message, size, "sms: " MECH_NUMBERS_EXPECTED ", not '%s'", file->wish.sms);
	return false;
}

static bool is_wanted(const struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	const struct timeline_filter *wish = &file->wish;
	if (shown->row == &block_row && !wish->blocks)
		return false;
	if (shown->unit == SEAM_OF_SM && shown->index < 256 && !(file->sms[shown->index / 64] >> shown->index % 64 & 1))
		return false;
	return (double)event->end >= wish->first && (double)event->begin <= wish->last;
}

/* --- events --- */

static void print_event(struct timeline_file *file, const struct shown *shown, const struct mech_event *event)
{
	if (!file->left || !is_wanted(file, shown, event))
		return;
	file->format->event(file, shown, event);
	if (!--file->left)
		fprintf(stderr, "sluice: the timeline is full: later events are not in it\n");
}

/* Returns the core cycle in which a cycle of L2 begins. */
static uint64_t core_cycle(const struct timeline_file *file, uint64_t l2_cycle)
{
	return l2_cycle * file->gpu->clock[CLOCK_L2].period / file->gpu->clock[CLOCK_CORE].period;
}

static void show(void *user, enum seam_unit unit, uint32_t index, uint32_t number, const struct mech *mech,
                 const struct mech_event *drawn)
{
	struct timeline_file *file = user;
	struct mech_event event = *drawn;
	const struct shown shown = {.unit = unit,
	                            .index = index,
	                            .number = number,
	                            .mech = mech,
	                            .row = mech ? &mech->events[event.row] : &block_row};
	if (unit == SEAM_OF_PARTITION) {
		event.begin = core_cycle(file, event.begin);
		event.end = core_cycle(file, event.end);
	}
	print_event(file, &shown, &event);
}

/* --- counters --- */

static double quotient(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void print_counts(struct timeline_file *file, const struct gpu_stats *now, uint64_t cycles)
{
	const struct gpu_stats *last = &file->counted;
#define SINCE(name) (now->name - last->name)
	const struct shown_count counts[] = {
		{"IPC", "thread instructions per cycle", quotient(SINCE(sm.thread_instructions), cycles), 0},
		{"live warps", "warps", quotient(SINCE(sm.resident_warp_cycles), cycles), 0},
		{"L1 hits", "%", 100 * quotient(SINCE(l1d.hits), SINCE(l1d.accesses)), 0},
		{"L1 refused", "cycles per SM cycle",
	         quotient(SINCE(l1d.refused), cycles * file->records->machine->sms), 0},
		{"L2 hits", "%", 100 * quotient(SINCE(l2.hits), SINCE(l2.accesses)), 0},
		{"requests under way", "requests", quotient(SINCE(sm.memory_latency), cycles), 0},
		{"DRAM pins", "%", 100 * quotient(SINCE(dram.data_cycles), SINCE(dram.cycles)), 0},
		{"DRAM row hits", "%", 100 * quotient(SINCE(dram.row_hits), SINCE(dram.requests)), 0},
		{"DRAM queue full", "%", 100 * quotient(SINCE(dram.queue_full), SINCE(dram.cycles)), 0},
	};
#undef SINCE
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct shown_count count = counts[i];
		count.cycle = file->start + file->counted_cycle; /* the value holds from this cycle on */
		file->format->count(file, &count);
	}
}

/* --- the file --- */

/* Writes the piece to the file, in one write. */
static void write_piece(struct timeline_file *file)
{
	struct piece *piece = &file->piece, packed;
	if (!file->is_compressed) {
		append_file_add(&file->file, piece);
		return;
	}
	fflush(piece->file);
	size_t room = ZSTD_compressBound(piece->length);
	void *frame = base_malloc(room);
	size_t length = ZSTD_compress(frame, room, piece->text, piece->length, 3);
	if (ZSTD_isError(length))
		abort();
	piece_open(&packed);
	fwrite(frame, 1, length, packed.file);
	fclose(piece->file);
	free(piece->text);
	free(frame);
	append_file_add(&file->file, &packed);
}

/* Chooses the format by the file name; JSON is the default. */
static const struct timeline_format *format_of(const char *path, bool *is_compressed)
{
	static const char *const others[] = {".pftrace", ".perfetto-trace"}; /* suffixes of Perfetto's own tools */
	static const char zst[] = ".zst";
	size_t length = strlen(path), inner = length;
	if (file_has_suffix(path, length, zst))
		inner -= sizeof zst - 1;
	bool is_perfetto = file_has_suffix(path, inner, timeline_perfetto.suffix);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		is_perfetto |= file_has_suffix(path, inner, others[i]);
	*is_compressed = is_perfetto && inner < length;
	if (is_perfetto)
		return &timeline_perfetto;
	return file_has_suffix(path, length, timeline_csv.suffix) ? &timeline_csv : &timeline_json;
}

bool timeline_file_open(struct timeline_file *file, struct gpu *gpu, const struct records *records, const char *path,
                        uint64_t most, const char *wish, char *message, size_t size)
{
	struct piece begin;
	*file = (struct timeline_file){.records = records, .gpu = gpu};
	*message = '\0';
	file->format = format_of(path, &file->is_compressed);
	if (!set_wishes(file, wish, message, size))
		return false;
	piece_open(&begin);
	if (!append_file_open(&file->file, path, &begin, file->format->closing))
		return false;
	piece_open(&file->piece);
	file->format->head(file);
	write_piece(file);
	file->left = most;
	return true;
}

void timeline_file_begin(struct timeline_file *file)
{
	file->start = file->gpu->clock[CLOCK_CORE].cycle;
	file->counted = (struct gpu_stats){0};
	file->counted_cycle = 0;
	seam_draw(file->gpu->seam, append_file_is_ours(&file->file) ? file->left : 0);
}

/* Formats and writes the machine's events, and the launch if one has ended. */
static void write_events(struct timeline_file *file, const struct shown *launch, const struct mech_event *event)
{
	const struct seam_drawer drawer = {file, show};
	if (!append_file_is_ours(&file->file) || !file->left)
		return;
	piece_open(&file->piece);
	seam_take_events(file->gpu->seam, &drawer);
	if (launch)
		print_event(file, launch, event);
	write_piece(file);
	seam_draw(file->gpu->seam, file->left);
}

void timeline_file_take(struct timeline_file *file)
{
	write_events(file, NULL, NULL);
}

void timeline_file_end(struct timeline_file *file, const struct record *record, uint64_t cycles)
{
	const struct shown launch = {
		.unit = SEAM_OF_GPU, .number = MECH_MAX, .row = &kernel_row, .kernel = record->shown};
	const struct mech_event event = {
		.begin = file->start, .end = file->start + cycles, .arguments = {record->launch, 0}};
	seam_cut_blocks(file->gpu->seam, file->start + cycles);
	write_events(file, &launch, &event);
}

uint64_t timeline_file_next_count(const struct timeline_file *file)
{
	uint32_t every = file->left && file->format->count ? file->wish.counters : 0;
	return every ? file->counted_cycle + every - file->counted_cycle % every : UINT64_MAX;
}

void timeline_file_count(struct timeline_file *file, uint64_t cycle)
{
	struct gpu_stats now;
	double first = (double)(file->start + file->counted_cycle), last = (double)(file->start + cycle);
	if (cycle == file->counted_cycle)
		return;
	stats_collect(file->gpu, &now);
	if (append_file_is_ours(&file->file) && last >= file->wish.first && first <= file->wish.last) {
		piece_open(&file->piece);
		print_counts(file, &now, cycle - file->counted_cycle);
		write_piece(file);
	}
	file->counted = now;
	file->counted_cycle = cycle;
}

void timeline_file_close(struct timeline_file *file)
{
	tdestroy(file->tracks, free);
	append_file_close(&file->file);
}
