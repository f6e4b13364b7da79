/* Protects every row of ops.h that accesses memory, handles addresses, or has no effect on values: all forms with every
 * type and every word, against models in plain C. See test_simt_rows.c for the rows that compute.
 *
 *   test_simt_memory_rows [ROUNDS [SEED]] */
#include "row_numbers.h"

enum { LANES = 32, PLACE = 64 /* bytes per lane in every memory */, ELEMENTS = 8 };

static uint32_t rounds = 1;
static uint64_t seed = 1;

/* Each lane has 64 bytes in global (%g, also a generic address), shared (%s), local (%l) and parameter (q) memory, all
 * with the contents of `in`. `k` and the parameter `a` hold lane 0's contents. %r0-7, %d0-7 and so on hold the first of
 * each 8 bytes of `more`, %q0-3 all of them. */
static const char head[] =
	".version 8.0\n.target sm_90\n.address_size 64\n.const .align 16 .b8 k[64];\n"
	".visible .entry op(.param .u64 in, .param .u64 more, .param .u64 out, .param .align 16 .b8 a[64])\n{\n"
	".reg .b16 %h<16>;\n.reg .b32 %r<16>, %t, %s;\n.reg .b64 %d<16>, %g, %m, %o, %l, %x<8>;\n.reg .f32 %f<16>;\n"
	".reg .f64 %e<16>;\n.reg .b128 %q<16>;\n.reg .pred %p<4>;\n.shared .align 16 .b8 s[2048];\n.local .align 16 "
	".b8 l[64];\n"
	".param .align 16 .b8 q[64];\nld.param.u64 %g, [in];\nld.param.u64 %m, [more];\nld.param.u64 %o, [out];\n"
	"mov.u32 %t, %tid.x;\nmad.wide.u32 %g, %t, 64, %g;\nmad.wide.u32 %m, %t, 64, %m;\nmad.wide.u32 %o, %t, 64, "
	"%o;\n"
	"mov.u32 %s, s;\nmad.lo.u32 %s, %t, 64, %s;\nmov.u64 %l, l;\n";

struct run {
	char text[8192];
	uint8_t in[LANES][PLACE], more[LANES][PLACE], out[LANES][PLACE];
};

__attribute__((format(printf, 2, 3))) static void add(struct run *run, const char *format, ...)
{
	size_t length = strlen(run->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(run->text + length, sizeof run->text - length, format, arguments);
	va_end(arguments);
}

static void begin(struct run *run, uint64_t *random)
{
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned k = 0; k < PLACE; k++) {
			run->in[i][k] = (uint8_t)kit_random(random);
			run->more[i][k] = (uint8_t)kit_random(random);
		}
	run->text[0] = '\0';
	add(run, "%s", head);
	for (unsigned k = 0; k < 8; k++)
		add(run,
		    "ld.global.b64 %%x0, [%%g+%u];\nst.shared.b64 [%%s+%u], %%x0;\nst.local.b64 [%%l+%u], "
		    "%%x0;\nst.param.b64 [q+%u], %%x0;\n",
		    8 * k, 8 * k, 8 * k, 8 * k);
	for (unsigned k = 0; k < ELEMENTS; k++)
		add(run,
		    "ld.global.b16 %%h%u, [%%m+%u];\nld.global.b32 %%r%u, [%%m+%u];\nld.global.b64 %%d%u, [%%m+%u];\n"
		    "ld.global.f32 %%f%u, [%%m+%u];\nld.global.f64 %%e%u, [%%m+%u];\n",
		    k, 8 * k, k, 8 * k, k, 8 * k, k, 8 * k, k, 8 * k);
	for (unsigned k = 0; k < 4; k++)
		add(run, "ld.global.v2.b64 {%%x0, %%x1}, [%%m+%u];\nmov.b128 %%q%u, {%%x0, %%x1};\n", 16 * k, k);
}

/* Runs the added instructions and restores the lanes' changed bytes of `in`. */
static void finish(struct run *run)
{
	struct kit kit;
	add(run, "ret;\n}\n");
	kit_open(&kit, run->text);
	void *in = kit_buffer(&kit, sizeof run->in), *more = kit_buffer(&kit, sizeof run->more),
	     *out = kit_buffer(&kit, sizeof run->out);
	memcpy(in, run->in, sizeof run->in);
	memcpy(more, run->more, sizeof run->more);
	memcpy(kit.params + 32, run->in[0], PLACE);
	memcpy(simt_host(kit.memory, ptx_find_variable(kit.module, "k")->address), run->in[0], PLACE);
	kit_run(&kit);
	memcpy(run->in, in, sizeof run->in);
	memcpy(run->out, out, sizeof run->out);
	kit_close(&kit);
}

/* The memory that a row's words name. */
static const char *place_of(const struct row *row)
{
	if (row_has(row, "param") || row_has(row, "param::entry"))
		return row_is(row, "st") ? "q" : "a";
	return row_has(row, "const")                                                                      ? "k"
	       : row_has(row, "param::func")                                                              ? "q"
	       : row_has(row, "shared") || row_has(row, "shared::cta") || row_has(row, "shared::cluster") ? "%s"
	       : row_has(row, "local")                                                                    ? "%l"
	                                                                                                  : "%g";
}

static unsigned vector_of(const struct row *row)
{
	return row_has(row, "v8") ? 8 : row_has(row, "v4") ? 4 : row_has(row, "v2") ? 2 : 1;
}

/* The registers of a type. Destinations of integer loads are the widest, to show how they are extended. */
static char class_of(struct row_type type, bool widest)
{
	if (type.kind == 'f')
		return type.bits == 64 ? 'e' : 'f';
	if (type.bits == 128)
		return 'q';
	return widest || type.bits == 64 ? 'd' : type.bits == 32 ? 'r' : 'h';
}

static void add_vector(struct run *run, char class, unsigned count)
{
	for (unsigned e = 0; e < count; e++)
		add(run, "%s%%%c%u", e ? ", " : count > 1 ? "{" : "", class, e);
	add(run, "%s", count > 1 ? "}" : "");
}

/* Appends the opcode with its words and types. */
static void add_opcode(struct run *run, const struct row *row)
{
	add(run, "%s", row->op);
	for (unsigned k = 0; k < row->count; k++)
		add(run, ".%s", row->words[k]);
	add(run, "%s%s ", row->type[0].bits ? "." : "", row->type[0].name);
}

static uint64_t part(const uint8_t *bytes, unsigned offset, unsigned bits)
{
	uint64_t value = 0;
	memcpy(&value, bytes + offset, bits / 8);
	return value;
}

static void expect(const struct row *row, const struct run *run, unsigned lane, uint64_t got, uint64_t expected)
{
	if (got == expected)
		return;
	const char *at = strstr(run->text + sizeof head, row->op);
	fail_msg("lane %u: %s of .%s gives %llx, expected %llx in\n%s", lane, row->op, row->type[0].name,
	         (unsigned long long)got, (unsigned long long)expected, at ? run->text : "");
}

/* The same for numbers of any size at these bytes. */
static void expect_bytes(const struct row *row, const struct run *run, unsigned lane, const uint8_t *got,
                         const uint8_t *expected, unsigned bits)
{
	for (unsigned at = 0; at < bits; at += 64)
		expect(row, run, lane, part(got, at / 8, bits < 64 ? bits : 64),
		       part(expected, at / 8, bits < 64 ? bits : 64));
}

/* The distance between elements of a class in `more` and `out`. */
static unsigned apart(char class)
{
	return class == 'q' ? 16 : 8;
}

/* Only global memory has accesses of 32 bytes, of elements of at most 8. */
static unsigned most_bytes(const struct row *row)
{
	return strcmp(place_of(row), "%g") == 0 && row->type[0].bits <= 64 && !row_is(row, "ldu") ? 32 : 16;
}

static void check_load(const struct row *row, struct run *run, uint64_t *random)
{
	struct row_type type = row->type[0];
	unsigned count = vector_of(row), bytes = type.bits / 8 * count, offset;
	const char *place = place_of(row);
	char class = class_of(type, true);
	if (bytes > most_bytes(row))
		return;
	offset = (unsigned)(kit_random(random) % (PLACE / bytes)) * bytes;
	begin(run, random);
	add_opcode(run, row);
	add_vector(run, class, count);
	add(run, ", [%s+%u]%s;\n", place, offset, strchr(row->form->operands, 'h') ? ", %x1" : "");
	for (unsigned e = 0; e < count; e++)
		add(run, "st.global.%s [%%o+%u], %%%c%u;\n",
		    class == 'f'   ? "b32"
		    : class == 'q' ? "b128"
		                   : "b64",
		    apart(class) * e, class, e);
	finish(run);
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned e = 0; e < count; e++) {
			bool same = *place == 'a' || *place == 'k';
			if (class == 'q') {
				expect_bytes(row, run, i, run->out[i] + 16 * e, run->in[same ? 0 : i] + offset + 16 * e,
				             128);
				continue;
			}
			uint64_t value = part(run->in[same ? 0 : i], offset + e * type.bits / 8, type.bits);
			value = (uint64_t)whole(type, value);
			expect(row, run, i, part(run->out[i], 8 * e, class == 'f' ? 32 : 64), value);
		}
}

static void check_store(const struct row *row, struct run *run, uint64_t *random)
{
	struct row_type type = row->type[0];
	unsigned count = vector_of(row), bytes = type.bits / 8 * count, offset;
	const char *place = place_of(row);
	uint8_t before[LANES][PLACE];
	if (bytes > most_bytes(row))
		return;
	offset = (unsigned)(kit_random(random) % (PLACE / bytes)) * bytes;
	begin(run, random);
	memcpy(before, run->in, sizeof before);
	add_opcode(run, row);
	add(run, "[%s+%u], ", place, offset);
	add_vector(run, class_of(type, false), count);
	add(run, "%s;\n", strchr(row->form->operands, 'h') ? ", %x1" : "");
	for (unsigned k = 0; k < 8; k++)
		add(run, "ld%s.b64 %%x0, [%s+%u];\nst.global.b64 [%%o+%u], %%x0;\n",
		    *place == 'q'              ? ".param"
		    : strcmp(place, "%s") == 0 ? ".shared"
		    : strcmp(place, "%l") == 0 ? ".local"
		                               : "",
		    place, 8 * k, 8 * k);
	finish(run);
	for (unsigned i = 0; i < LANES; i++) {
		for (unsigned e = 0; e < count; e++)
			memcpy(before[i] + offset + e * type.bits / 8, run->more[i] + apart(class_of(type, false)) * e,
			       type.bits / 8);
		for (unsigned k = 0; k < PLACE; k += 8)
			expect(row, run, i, part(run->out[i], k, 64), part(before[i], k, 64));
	}
}

/* --- atomics --- */

/* In global memory subnormal numbers of single precision are zero, and a NaN stays as it is. */
static uint64_t real_sum(struct row_type type, uint64_t old, uint64_t b, bool shared)
{
	if (type.bits == 64 && (isnan(bits_double(old)) || isnan(bits_double(b))))
		return shared ? (isnan(bits_double(old)) ? old : b) | (uint64_t)1 << 51
		              : (isnan(bits_double(b)) ? b : old);
	if (type.bits == 64) {
		double sum = bits_double(old) + bits_double(b);
		return isnan(sum) ? 0xfff8000000000000 : double_bits(sum);
	}
	float x = single_of(old), y = single_of(b);
	if (shared)
		return float_bits(canonical_f32(x + y));
	float sum = (float)number(type, old, true) + (float)number(type, b, true);
	return isnan(sum) ? 0x7fffffff : float_bits((float)number(type, float_bits(sum), true));
}

static uint64_t small_sum(struct row_type type, uint64_t a, uint64_t b)
{
	uint64_t result = 0;
	for (unsigned k = 0; k < type.parts; k++) {
		double x = small_number(type, a >> 16 * k & 0xffff), y = small_number(type, b >> 16 * k & 0xffff);
		result |= to_small(type, (quad)x + y, signbit(x + y), "rn") << 16 * k;
	}
	return result;
}

/* The least or greatest of two halves, or of each of two pairs. */
static uint64_t small_extreme(struct row_type type, uint64_t a, uint64_t b, bool least)
{
	uint64_t result = 0;
	for (unsigned k = 0; k < type.parts; k++) {
		uint64_t low = a >> 16 * k & 0xffff, high = b >> 16 * k & 0xffff;
		double x = small_number(type, low), y = small_number(type, high);
		uint64_t value = x != x && y != y                  ? 0x7fff
		                 : x != x                          ? high
		                 : y != y                          ? low
		                 : x < y || (x == y && signbit(x)) ? (least ? low : high)
		                                                   : (least ? high : low);
		result |= value << 16 * k;
	}
	return result;
}

/* The expected contents of memory. */
static uint64_t atomic_value(const struct row *row, uint64_t old, uint64_t b, uint64_t c, bool shared)
{
	struct row_type type = row->type[0];
	bool less = whole(type, old) < whole(type, b);
	if (row_has(row, "add"))
		return type.kind == 'f'                       ? real_sum(type, old, b, shared)
		       : type.kind == 'h' || type.kind == 'o' ? small_sum(type, old, b)
		                                              : old + b;
	if ((type.kind == 'h' || type.kind == 'o') && !row_has(row, "add"))
		return small_extreme(type, old, b, row_has(row, "min"));
	if (row_has(row, "min"))
		return less ? old : b;
	if (row_has(row, "max"))
		return less ? b : old;
	if (row_has(row, "inc"))
		return old >= b ? 0 : old + 1;
	if (row_has(row, "dec"))
		return old == 0 || old > b ? b : old - 1;
	return row_has(row, "and")    ? (old & b)
	       : row_has(row, "or")   ? (old | b)
	       : row_has(row, "xor")  ? old ^ b
	       : row_has(row, "exch") ? b
	       : old == b             ? c
	                              : old;
}

/* For 128 bits: the second operand, where the old value equals the first or the instruction does not compare. */
static void atomic_wide(const struct row *row, const uint8_t *old, const uint8_t *more, uint8_t *value)
{
	bool three = row_has(row, "cas");
	memcpy(value, three && memcmp(old, more, 16) ? old : more + (three ? 16 : 0), 16);
}

/* The elements of a vector are separate atomics, one after another. */
static void check_atomic(const struct row *row, struct run *run, uint64_t *random)
{
	struct row_type type = row->type[0];
	const char *place = place_of(row);
	char class = class_of(type, false);
	const char *scratch = class == 'q' ? "q3" : "x2";
	uint8_t before[LANES][PLACE], wide_value[16];
	unsigned count = vector_of(row), bytes = type.bits / 8;
	bool returns = row_is(row, "atom"), three = row_has(row, "cas"), shared = strcmp(place, "%s") == 0;
	begin(run, random);
	for (unsigned i = 0; i < LANES; i += 3) /* equal or close to the memory's value */
		memcpy(run->more[i], run->in[i], 16), run->more[i][i % 4 * 4] ^= (uint8_t)(i % 2);
	for (unsigned i = 1; i < LANES; i += 5) /* zeros of both signs */
		for (unsigned k = 0; k < PLACE; k++) {
			run->in[i][k] = k % 2 && kit_random(random) & 1 ? 0x80 : 0;
			run->more[i][k] = k % 2 && kit_random(random) & 1 ? 0x80 : 0;
		}
	memcpy(before, run->in, sizeof before);
	add_opcode(run, row);
	for (unsigned e = 0; returns && e < count; e++)
		add(run, "%s%%%c%u%s",
		    e           ? ", "
		    : count > 1 ? "{"
		                : "",
		    class, 8 + e,
		    e + 1 < count ? ""
		    : count > 1   ? "}, "
		                  : ", ");
	add(run, "[%s], ", place);
	add_vector(run, class, count);
	if (three)
		add(run, ", %%%c1", class);
	add(run, "%s;\n", strchr(row->form->operands, 'h') ? ", %x1" : "");
	for (unsigned e = 0; e < count; e++) {
		if (returns)
			add(run, "st.global.b%u [%%o+%u], %%%c%u;\n", type.bits, 8 * e, class, 8 + e);
		add(run, "ld%s.b%u %%%s, [%s+%u];\nst.global.b%u [%%g+%u], %%%s;\n", shared ? ".shared" : "", type.bits,
		    scratch, place, e * bytes, type.bits, 32 + e * bytes, scratch);
	}
	finish(run);
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned e = 0; e < count; e++) {
			if (class == 'q') {
				atomic_wide(row, before[i], run->more[i], wide_value);
				expect_bytes(row, run, i, run->in[i] + 32, wide_value, 128);
				expect_bytes(row, run, i, run->out[i], before[i], 128);
				continue;
			}
			uint64_t old = part(before[i], e * bytes, type.bits), b = part(run->more[i], 8 * e, type.bits),
				 c = part(run->more[i], 8, type.bits);
			expect(row, run, i, part(run->in[i], 32 + e * bytes, type.bits),
			       atomic_value(row, old, b, c, shared) & ones(type.bits));
			if (returns)
				expect(row, run, i, part(run->out[i], 8 * e, type.bits), old);
		}
}

/* --- addresses --- */

/* A generic address has the same offset in its space's window as the address in the space. The conversion back returns
 * that address. */
static void check_conversion(const struct row *row, struct run *run, uint64_t *random)
{
	unsigned bits = row->type[0].bits;
	const char *space = row->words[row->count - 1];
	begin(run, random);
	add(run, "mov.u64 %%x1, 0;\ncvta.%s.u64 %%x2, %%x1;\nst.global.u64 [%%o+8], %%x2;\n", space);
	add_opcode(run, row);
	add(run, "%%%c3, %%%c0;\nmov.b64 %%x3, 0;\nst.global.b64 [%%o], %%x3;\nst.global.b%u [%%o], %%%c3;\n",
	    class_of(row->type[0], false), class_of(row->type[0], false), bits, class_of(row->type[0], false));
	finish(run);
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t window = part(run->out[i], 8, 64), value = part(run->more[i], 0, bits);
		expect(row, run, i, part(run->out[i], 0, 64),
		       (row_has(row, "to") ? value - window : value + window) & ones(bits));
		bool has_window = strcmp(space, "const") != 0 && strcmp(space, "global") != 0;
		expect(row, run, i, window != 0, has_window);
	}
}

/* Addresses of a shared, a local, a global and a constant variable, and of a parameter. The third and fourth are not
 * distinguished. */
static void check_space(const struct row *row, struct run *run, uint64_t *random)
{
	static const char *const from[] = {
		"cvt.u64.u32 %x1, %s;\ncvta.shared.u64 %x1, %x1;\n", "cvta.local.u64 %x1, %l;\n", "mov.u64 %x1, %g;\n",
		"mov.u64 %x1, k;\ncvta.const.u64 %x1, %x1;\n", "mov.u64 %x1, a;\ncvta.param.u64 %x1, %x1;\n"};
	bool is_shared = strncmp(row->words[0], "shared", 6) == 0, is_local = row_has(row, "local");
	bool is_param = strncmp(row->words[0], "param", 5) == 0;
	begin(run, random);
	for (unsigned k = 0; k < 5; k++) {
		add(run, "%s", from[k]);
		add_opcode(run, row);
		add(run, "%%p1, %%x1;\nselp.u64 %%x2, 1, 0, %%p1;\nst.global.u64 [%%o+%u], %%x2;\n", 8 * k);
	}
	finish(run);
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned k = 0; k < 5; k++)
			expect(row, run, i, part(run->out[i], 8 * k, 64),
			       is_shared  ? k == 0
			       : is_local ? k == 1
			       : is_param ? k == 4
			                  : k == 2 || k == 3);
}

/* mov of 128 bits: a copy, a half of a register, and a register from two swapped halves. */
static void check_wide_move(const struct row *row, struct run *run, uint64_t *random)
{
	begin(run, random);
	add(run, "mov.b128 %%q5, %%q1;\nst.global.b128 [%%o], %%q5;\nmov.b128 {%%x1, %%x2}, %%q2;\n"
	         "mov.b128 {_, %%x3}, %%q3;\nmov.b128 %%q6, {%%x2, %%x1};\nst.global.b128 [%%o+16], %%q6;\n"
	         "and.b32 %%r1, %%t, 1;\nsetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 mov.b128 %%q6, {%%x3, 0};\n"
	         "st.global.b128 [%%o+32], %%q6;\n");
	finish(run);
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t swapped[2] = {part(run->more[i], 40, 64), part(run->more[i], 32, 64)};
		uint64_t mixed[2] = {i % 2 ? swapped[0] : part(run->more[i], 56, 64), i % 2 ? swapped[1] : 0};
		expect_bytes(row, run, i, run->out[i], run->more[i] + 16, 128);
		expect_bytes(row, run, i, run->out[i] + 16, (const uint8_t *)swapped, 128);
		expect_bytes(row, run, i, run->out[i] + 32, (const uint8_t *)mixed, 128);
	}
}

/* A cluster has one block, the first: an address of any block in it is the same address in this block. */
static void check_cluster(const struct row *row, struct run *run, uint64_t *random)
{
	bool maps = row_is(row, "mapa");
	unsigned bits = maps ? row->type[0].bits : 32;
	char class = class_of(row->type[0], false);
	begin(run, random);
	add_opcode(run, row);
	add(run, "%%%c3, %%%c0%s;\nst.global.b%u [%%o], %%%c3;\n", maps ? class : 'r', class, maps ? ", 0" : "", bits,
	    maps ? class : 'r');
	finish(run);
	for (unsigned i = 0; i < LANES; i++)
		expect(row, run, i, part(run->out[i], 0, bits), maps ? part(run->more[i], 0, bits) : 0);
}

/* A policy is never read: it is 0 unless it is given as a number. */
static void check_policy(const struct row *row, struct run *run, uint64_t *random)
{
	bool given = row_has(row, "cvt");
	begin(run, random);
	add_opcode(run, row);
	add(run, "%%d3%s;\nst.global.b64 [%%o], %%d3;\n",
	    given                    ? ", %d0"
	    : row_has(row, "range")  ? ", [%g], %r0, 4096"
	    : kit_random(random) & 1 ? ", 0.5"
	                             : "");
	finish(run);
	for (unsigned i = 0; i < LANES; i++)
		expect(row, run, i, part(run->out[i], 0, 64), given ? part(run->more[i], 0, 64) : 0);
}

/* Instructions that only have to be parsed and executed without an effect. */
static void check_nothing(const struct row *row, struct run *run, uint64_t *random)
{
	const char *operands = strchr(row->form->operands, '>') + 1;
	begin(run, random);
	add_opcode(run, row);
	add(run, "%s;\nst.global.b64 [%%o], %%d0;\n",
	    *operands == 't'        ? "%r0"
	    : *operands == 'i'      ? "3"
	    : *operands != 'm'      ? ""
	    : operands[1] == 'i'    ? "[%g], 128"
	    : row_has(row, "local") ? "[%l]"
	                            : "[%g+4]");
	finish(run);
	for (unsigned i = 0; i < LANES; i++)
		expect(row, run, i, part(run->out[i], 0, 64), part(run->more[i], 0, 64));
}

static const struct {
	const char *ops;
	void (*check)(const struct row *row, struct run *run, uint64_t *random);
} checks[] = {
	{" ld ldu ", check_load},
	{" st ", check_store},
	{" atom red ", check_atomic},
	{" cvta ", check_conversion},
	{" mov ", check_wide_move},
	{" isspacep ", check_space},
	{" mapa getctarank ", check_cluster},
	{" createpolicy ", check_policy},
	{" prefetch prefetchu membar fence nanosleep pmevent relssp griddepcontrol applypriority discard setmaxnreg "
         "barrier.cluster ",
         check_nothing},
};

/* All words of a form with its type. */
static void check_words(struct row *row, struct run *run, unsigned kind, uint64_t *random)
{
	bool any = false;
	for (unsigned group = 0; group < ROW_GROUPS; group++)
		for (unsigned word = 0; word < ROW_CHOICES; word++)
			if (row_words(row, group, word, random)) {
				checks[kind].check(row, run, random);
				any = true;
			}
	if (!any && row_words(row, UINT32_MAX, 0, random))
		checks[kind].check(row, run, random);
}

static void every_row(void **state)
{
	(void)state;
	static struct run run;
	uint64_t random = seed;
	for (uint32_t k = 0; k < rounds * ptx_form_count; k++) {
		const struct form *form = &ptx_forms[k % ptx_form_count];
		char name[24];
		snprintf(name, sizeof name, " %s ", ptx_ops[form->op].name);
		for (unsigned kind = 0; kind < sizeof checks / sizeof *checks; kind++)
			for (uint64_t types = form->types ? form->types : TYPE_BIT(NO_TYPE);
			     types && strstr(checks[kind].ops, name); types &= types - 1) {
				if (form->op == PTX_OP_MOV && types != TYPES_B128)
					break; /* test_simt_rows.c */
				struct row row = {.form = form, .op = ptx_ops[form->op].name};
				row.type[0] = row_types[__builtin_ctzll(types)];
				check_words(&row, &run, kind, &random);
			}
	}
}

/* An instruction that becomes several accesses behaves like one. The part whose result is another's address, or an
 * operand of another element, comes last. Where each would disturb another, the kernel is refused. */
static void parts_in_order(void **state)
{
	(void)state;
	static struct run run;
	uint64_t random = seed;
	struct diag diag = {0};
	static const char crossed[] =
		".version 8.6\n.target sm_100\n.address_size 64\n.entry k()\n{\n.reg .b64 %d;\n"
		".reg .f32 %f<2>;\natom.global.add.v2.f32 {%f0, %f1}, [%d], {%f1, %f0};\nret;\n}\n";
	begin(&run, &random);
	add(&run,
	    "mov.u64 %%d4, %%g;\nld.global.L2::cache_hint.v4.u64 {%%d4, %%d5, %%d6, %%d7}, [%%d4], %%d6;\n"
	    "st.global.v4.b64 [%%o], {%%d4, %%d5, %%d6, %%d7};\nmov.f32 %%f1, 0f3F800000;\n"
	    "st.global.v2.f32 [%%g+32], {%%f1, %%f1};\natom.global.v2.f32.add {%%f0, %%f2}, [%%g+32], {%%f1, %%f0};\n"
	    "st.global.v2.f32 [%%o+32], {%%f0, %%f2};\n");
	finish(&run);
	for (unsigned i = 0; i < LANES; i++) {
		float more, sum;
		assert_memory_equal(run.out[i], run.in[i], 32);
		memcpy(&more, run.more[i], sizeof more);
		memcpy(&sum, run.in[i] + 36, sizeof sum);
		assert_int_equal(part(run.out[i], 32, 64), 0x3f8000003f800000);
		assert_int_equal(part(run.in[i], 32, 32), 0x40000000);
		assert_true(more != more ? sum != sum : sum == more + 1);
	}
	assert_null(ptx_parse("crossed.ptx", crossed, strlen(crossed), &diag));
	assert_non_null(strstr(diag.text, "results of 'atom' that its other elements read are not supported"));
	diag_free(&diag);
}

/* Protects the halves of a register from a mov that must read both before it writes one. */
static void halves_to_halves(void **state)
{
	(void)state;
	static const char text[] = ".version 8.3\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg .b64 %d<4>;\n"
				   "mov.b128 {%d0, %d1}, {%d1, %d0};\n}\n";
	struct diag diag = {0};
	struct ptx_module *module = ptx_parse("halves.ptx", text, strlen(text), &diag);
	assert_non_null(module);
	assert_null(simt_decode(ptx_find_function(module, "k"), kit_reconverge, &diag));
	assert_non_null(strstr(diag.text, "'mov' from halves to halves is not supported"));
	ptx_free(module);
	diag_free(&diag);
}

int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_row), cmocka_unit_test(parts_in_order),
	                                   cmocka_unit_test(halves_to_halves)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
