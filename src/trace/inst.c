/* inst: a trace line has the words PC MASK DESTINATIONS [DESTINATION...] OPCODE SOURCES [SOURCE...] WIDTH [FORM
 * ADDRESSES] [IMMEDIATE [ACTIVE]]; see docs/how-to/traces.md. */
#include "trace/inst.h"

#include <stdlib.h>
#include <string.h>

/* Forms of addresses in the text. */
enum form { LIST, STRIDE, DELTAS };
/* Size of the windows of GPUs onto shared and local memory, and limits of shared addresses, barrier numbers and
 * other addresses. */
enum { WINDOW_BYTES = 1 << 24, MOST_SHARED = 1 << 20, MOST_BARRIER = SIMT_CLUSTER };
#define MOST_ADDRESS ((uint64_t)1 << 56)

/* Position within a line. */
struct scan {
	const struct trace_lines *lines;
	struct diag *diag;
	const char *at; /* the next word, or the line's end */
};

static const char *end_of(const char *word)
{
	return word + strcspn(word, " \t");
}

static void skip_word(struct scan *scan)
{
	scan->at = end_of(scan->at);
	scan->at += strspn(scan->at, " \t");
}

static bool fails(const struct scan *scan, const char *what)
{
	trace_error(scan->lines, scan->diag, scan->at, "expected %s", what);
	return false;
}

/* Parses a word that consists only of digits. */
static bool take_number(struct scan *scan, int base, uint64_t most, const char *what, uint64_t *number)
{
	char *end;
	bool is_hex = base == 16 && ((*scan->at >= 'a' && *scan->at <= 'f') || (*scan->at >= 'A' && *scan->at <= 'F'));
	*number = strtoull(scan->at, &end, base);
	if (!(is_hex || (*scan->at >= '0' && *scan->at <= '9')) || end != end_of(scan->at) || *number > most)
		return fails(scan, what);
	skip_word(scan);
	return true;
}

static bool take_signed(struct scan *scan, const char *what, int64_t *number)
{
	char *end;
	*number = strtoll(scan->at, &end, 10);
	if (end == scan->at || end != end_of(scan->at) || *number > (int64_t)MOST_ADDRESS ||
	    *number < -(int64_t)MOST_ADDRESS)
		return fails(scan, what);
	skip_word(scan);
	return true;
}

/* Parses a count of words and then the words. *first is the position of the first. */
static bool take_list(struct scan *scan, const char *what, uint32_t *count, const char **first)
{
	uint64_t number;
	if (!take_number(scan, 10, 255, what, &number))
		return false;
	*count = (uint32_t)number;
	*first = scan->at;
	for (; number; number--) {
		if (!*scan->at)
			return fails(scan, "a register");
		skip_word(scan);
	}
	return true;
}

/* Parses the first words in lines of old tracers (block and warp), and of traces with source lines. */
static bool take_leading(struct scan *scan, const struct trace_header *header, uint32_t *line)
{
	uint64_t number = 0;
	for (uint32_t words = header->tracer_version < 3 ? 4 : 0; words; words--)
		if (!take_number(scan, 10, UINT64_MAX, "a number", &number))
			return false;
	if (header->has_lines && !take_number(scan, 10, UINT32_MAX, "a line of the source", &number))
		return false;
	*line = header->has_lines ? (uint32_t)number : 0;
	return true;
}

/* Parses the words up to the width. */
static bool take_words(struct scan *scan, struct trace_words *words, uint32_t *lanes)
{
	uint64_t number;
	words->pc = scan->at;
	words->pc_length = (size_t)(end_of(scan->at) - scan->at);
	if (!take_number(scan, 16, UINT64_MAX / 2, "an instruction's address, in hexadecimal", &number) ||
	    !take_number(scan, 16, UINT32_MAX, "a mask of 32 lanes, in hexadecimal", &number))
		return false;
	*lanes = (uint32_t)number;
	words->fixed = scan->at;
	if (!take_list(scan, "a number of destinations", &words->destinations, &words->destination))
		return false;
	words->opcode = scan->at;
	words->opcode_length = (size_t)(end_of(scan->at) - scan->at);
	if (!words->opcode_length)
		return fails(scan, "an opcode");
	skip_word(scan);
	if (!take_list(scan, "a number of sources", &words->sources, &words->source))
		return false;
	const char *width = scan->at;
	if (!take_number(scan, 10, 4096, "the bytes that a lane accesses", &number))
		return false;
	words->width = (uint32_t)number;
	words->fixed_length = (size_t)(end_of(width) - words->fixed);
	words->rest = scan->at;
	return true;
}

/* --- addresses --- */

/* Parses addresses as written, for the lanes in the mask. */
static bool take_addresses(struct scan *scan, uint32_t lanes, uint64_t *address)
{
	uint64_t form, next = 0;
	int64_t step = 0;
	if (!take_number(scan, 10, DELTAS, "how the addresses are written: 0, 1 or 2", &form))
		return false;
	if (form != LIST && !take_number(scan, 16, UINT64_MAX, "an address", &next))
		return false;
	if (form == STRIDE && !take_signed(scan, "a stride", &step))
		return false;
	for (uint32_t rest = lanes; rest; rest &= rest - 1) {
		if (form == LIST && !take_number(scan, 16, UINT64_MAX, "an address", &next))
			return false;
		address[__builtin_ctz(rest)] = next;
		if (form == DELTAS && rest & (rest - 1) && !take_signed(scan, "a difference of addresses", &step))
			return false;
		next += (uint64_t)step;
	}
	return true;
}

static bool is_in(uint64_t address, uint64_t base)
{
	return base && address - base < WINDOW_BYTES;
}

/* Returns the window of an address: shared memory, local memory, or, in Sluice's own traces, the kernel's
 * parameters after it. */
static enum ptx_space window_of(const struct trace_header *header, uint64_t address, uint64_t *base)
{
	*base = header->shared_base;
	if (is_in(address, *base))
		return PTX_SHARED;
	*base = header->local_base;
	if (is_in(address, *base))
		return PTX_LOCAL;
	*base = header->writer ? header->local_base + WINDOW_BYTES : 0;
	if (is_in(address, *base))
		return PTX_PARAM;
	*base = 0;
	return PTX_GLOBAL;
}

/* Converts generic addresses to the space that contains all lanes. Returns PTX_GENERIC if there are several; the
 * addresses then stay unchanged. */
static enum ptx_space resolve(const struct trace_header *header, uint32_t lanes, uint64_t *address)
{
	uint64_t base, other;
	enum ptx_space space = window_of(header, address[__builtin_ctz(lanes)], &base);
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		if (window_of(header, address[__builtin_ctz(rest)], &other) != space)
			return PTX_GENERIC;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		address[__builtin_ctz(rest)] -= base;
	return space;
}

/* Converts addresses of shared and local memory to offsets if they are written with the window's base. */
static void make_offsets(uint64_t base, uint32_t lanes, uint64_t *address)
{
	for (; lanes; lanes &= lanes - 1)
		if (is_in(address[__builtin_ctz(lanes)], base))
			address[__builtin_ctz(lanes)] -= base;
}

/* Lanes after those with rows of matrices have addresses that are ignored. */
static void repeat_rows(const struct simt_inst *inst, uint32_t lanes, uint64_t *address)
{
	uint32_t rows = 8u * inst->vector;
	for (uint32_t lane = rows; lane < WARP_SIZE; lane++)
		if (lanes >> lane & 1 && lanes >> lane % rows & 1)
			address[lane] = address[lane % rows];
}

/* Checks the range of addresses and rounds them down to a multiple of the access size. A GPU makes no misaligned
 * access. */
static bool check_addresses(const struct scan *scan, struct trace_record *record, const char *at)
{
	uint64_t most = record->space == PTX_SHARED  ? MOST_SHARED
	                : record->space == PTX_LOCAL ? WINDOW_BYTES
	                                             : MOST_ADDRESS;
	for (uint32_t rest = record->lanes; rest; rest &= rest - 1) {
		uint64_t *address = &record->address[__builtin_ctz(rest)];
		if (*address >= most) {
			trace_error(scan->lines, scan->diag, at, "lane %d accesses address 0x%llx of %s memory",
			            __builtin_ctz(rest), (unsigned long long)*address,
			            record->space == PTX_GENERIC ? "any" : ptx_space_name(record->space));
			return false;
		}
		*address &= ~((uint64_t)record->fixed->inst.size - 1);
	}
	return true;
}

static bool take_access(struct scan *scan, const struct trace_header *header, struct trace_record *record)
{
	const struct simt_inst *inst = &record->fixed->inst;
	const char *at = scan->at;
	if (!take_addresses(scan, record->lanes, record->address))
		return false;
	if (!record->lanes)
		return true;
	record->space = (enum ptx_space)inst->space;
	if (inst->space == PTX_GENERIC)
		record->space = resolve(header, record->lanes, record->address);
	else if (inst->space == PTX_SHARED)
		make_offsets(header->shared_base, record->lanes, record->address);
	else if (inst->space == PTX_LOCAL)
		make_offsets(header->local_base, record->lanes, record->address);
	if (!header->writer && (inst->ptx->op == PTX_OP_LDMATRIX || inst->ptx->op == PTX_OP_STMATRIX))
		repeat_rows(inst, record->lanes, record->address);
	return check_addresses(scan, record, at);
}

/* --- words after the addresses --- */

/* Tracers write only the last immediate of an instruction. For a barrier it is the number, unless it is a thread
 * count or the number is in a register. */
static uint32_t named_barrier(const struct scan *scan, const struct simt_inst *inst)
{
	long number = strtol(scan->at, NULL, 10);
	return inst->kind == SIMT_BARRIER && !inst->reads && number > 0 && number < MOST_BARRIER ? (uint32_t)number : 0;
}

/* Tracers do not write the destinations of copies, so they are assumed to be contiguous, as in correct programs. */
static void lay_side_by_side(struct trace_record *record)
{
	uint64_t place = 0;
	for (uint32_t rest = record->lanes; rest; rest &= rest - 1, place += record->fixed->inst.size)
		record->to[__builtin_ctz(rest)] = place;
}

/* Parses the words of Sluice's own traces. */
static bool take_rest(struct scan *scan, struct trace_record *record)
{
	uint64_t immediate, issued = record->lanes;
	if (!*scan->at)
		return true;
	if (!take_number(scan, 16, UINT32_MAX, "an immediate, in hexadecimal", &immediate))
		return false;
	record->immediate = (uint32_t)immediate;
	if (*scan->at && !take_number(scan, 16, UINT32_MAX, "the active lanes, in hexadecimal", &issued))
		return false;
	record->issued = (uint32_t)issued;
	if (record->fixed->inst.async == SIMT_COPY && record->lanes && !take_addresses(scan, record->lanes, record->to))
		return false;
	return !*scan->at || fails(scan, "the line's end");
}

static bool check_record(const struct scan *scan, const struct trace_record *record, const struct trace_words *words)
{
	uint32_t number = record->immediate % WARP_SIZE, threads = record->immediate - number;
	if (!record->issued || record->lanes & ~record->issued)
		trace_error(scan->lines, scan->diag, words->pc, "lanes 0x%08x run, but only 0x%08x are active",
		            record->lanes, record->issued);
	else if (record->fixed->inst.kind == SIMT_BARRIER &&
	         (number > MOST_BARRIER || threads > WARP_SIZE * SIMT_MAX_WARPS))
		trace_error(scan->lines, scan->diag, words->opcode, "barrier %u for %u threads", number, threads);
	else
		return true;
	return false;
}

bool trace_read_line(struct trace_code *code, const struct trace_header *header, const struct trace_lines *lines,
                     uint32_t live, struct trace_record *record, struct diag *diag)
{
	struct scan scan = {lines, diag, lines->text + strspn(lines->text, " \t")};
	struct trace_words words;
	if (!take_leading(&scan, header, &words.line) || !take_words(&scan, &words, &record->lanes))
		return false;
	record->instruction = trace_code_find(code, lines, &words, diag);
	if (record->instruction == UINT32_MAX)
		return false;
	const struct trace_static *fixed = record->fixed = code->list[record->instruction];
	record->issued = record->lanes ? record->lanes : live;
	record->immediate = 0;
	uint64_t unused[WARP_SIZE];
	if (fixed->has_addresses && !take_access(&scan, header, record))
		return false;
	if (fixed->skips_addresses && !fixed->is_bulk && !take_addresses(&scan, record->lanes, unused))
		return false;
	if (!header->writer) {
		record->immediate = named_barrier(&scan, &fixed->inst);
		lay_side_by_side(record);
	} else if (!take_rest(&scan, record)) {
		return false;
	}
	return check_record(&scan, record, &words);
}
