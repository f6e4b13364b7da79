/* Protects every row of ops.h for matrix products: all shapes, types and layouts, on random matrices, against a plain
 * product. The element layout of mma is written here independently, shape by shape, from the tables of the PTX ISA.
 * wmma's matrices are loaded from and stored to memory.
 *
 *   test_simt_matrix [ROUNDS [SEED]] */
#include "matrix_sums.h"

enum { LANES = 32, MOST = 1024, PLACE = 256 };

static uint32_t rounds = 1;
static uint64_t seed = 1;

/* --- random numbers --- */

/* Numbers whose products have similar magnitudes, and some at the ends of the range. */
static uint64_t random_bits(struct row_type type, uint64_t *random)
{
	uint64_t any = kit_random(random), choice = kit_random(random) % 16;
	if (type.kind == 's' && type.bits == 32)
		return choice < 2 ? (choice ? 0x7ffffff0 : 0x80000010) : (uint32_t)any >> choice;
	if (type.kind == 'u' || type.kind == 's' || type.kind == 'b')
		return any & ones(type.bits);
	if (type.kind == 'e' || (choice == 0 && kit_random(random) % 64 == 0))
		return any & ones(type.bits) & ~(choice ? 0x40u : 0u);
	double number = ldexp((double)(int64_t)any, -60) * (choice == 1 ? 0 : choice < 8 ? 1 : 0.01);
	if (type.bits == 64)
		return double_bits(number);
	if (type.bits == 32)
		return float_bits((float)number);
	return to_small(type, (quad)number, signbit(number), "rn");
}

static void random_matrix(struct row_type type, uint64_t *matrix, unsigned count, uint64_t *random)
{
	for (unsigned i = 0; i < count; i++)
		matrix[i] = random_bits(type, random);
}

/* --- the element layout of mma --- */

struct spot {
	unsigned row, column;
};

/* The layout by quad pairs: two groups of four lanes, 16 lanes apart. */
static struct spot quad_place(const struct product *p, char matrix, unsigned lane, unsigned i)
{
	unsigned up = lane < 16 ? 0 : 4, x = (lane & 1) + (i & 2);
	if (matrix == 'A')
		return p->a_col ? (struct spot){i % 4 + up, lane % 4} : (struct spot){lane % 4 + up, i};
	if (matrix == 'B')
		return p->b_col ? (struct spot){i, lane % 4 + up} : (struct spot){lane % 4, i + up};
	if ((matrix == 'C' ? p->c.bits : p->d.bits) == 16)
		return (struct spot){lane % 4 + up, i};
	return (struct spot){x + up, (i & 4) + (lane & 2) + (i & 1)};
}

static struct spot place_of_a(const struct product *p, unsigned g, unsigned t, unsigned i)
{
	unsigned bits = p->a.bits;
	if (is(p, "m8n8k4") || is(p, "m8n8k16") || is(p, "m8n8k32") || is(p, "m8n8k128"))
		return (struct spot){g, t * (bits == 64 ? 1 : 32 / bits) + i};
	if (is(p, "m16n8k4"))
		return (struct spot){i == 0 ? g : g + 8, t};
	if (is(p, "m16n8k8"))
		return bits == 16 ? (struct spot){i < 2 ? g : g + 8, t * 2 + (i & 1)}
		                  : (struct spot){i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
	if (is(p, "m16n8k16") && bits == 16)
		return (struct spot){i < 2 || (i >= 4 && i < 6) ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
	if (is(p, "m16n8k16") && bits == 8)
		return (struct spot){i < 4 ? g : g + 8, t * 4 + (i & 3)};
	if (is(p, "m16n8k16"))
		return i % 2 == 0 ? (struct spot){g, i * 2 + t} : (struct spot){g + 8, i * 2 - 2 + t};
	if (is(p, "m16n8k32") && bits == 8)
		return (struct spot){i < 4 || (i >= 8 && i < 12) ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)};
	if (is(p, "m16n8k32"))
		return (struct spot){i < 8 ? g : g + 8, t * 8 + (i & 7)};
	if (is(p, "m16n8k64"))
		return (struct spot){i < 8 || (i >= 16 && i < 24) ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32)};
	if (is(p, "m16n8k128"))
		return (struct spot){i < 32 ? g : g + 8, t * 32 + i % 32};
	return (struct spot){i < 32 || (i >= 64 && i < 96) ? g : g + 8, t * 32 + i % 32 + (i < 64 ? 0 : 128)};
}

static struct spot place_of_b(const struct product *p, unsigned g, unsigned t, unsigned i)
{
	unsigned bits = p->a.bits;
	if (bits == 64)
		return (struct spot){i * 4 + t, g};
	if (bits == 32)
		return (struct spot){i == 0 ? t : t + 4, g};
	if (is(p, "m16n8k16") && bits == 16)
		return (struct spot){t * 2 + (i & 1) + (i < 2 ? 0 : 8), g};
	if (is(p, "m16n8k32") && bits == 8)
		return (struct spot){t * 4 + (i & 3) + (i < 4 ? 0 : 16), g};
	if (is(p, "m16n8k64"))
		return (struct spot){t * 8 + (i & 7) + (i < 8 ? 0 : 32), g};
	if (is(p, "m16n8k256"))
		return (struct spot){i < 32 ? t * 32 + i : t * 32 + i - 32 + 128, g};
	return (struct spot){t * (32 / bits) + i, g};
}

static bool is_quad(const struct product *p)
{
	return is(p, "m8n8k4") && p->a.bits == 16;
}

static struct spot place_of(const struct product *p, char matrix, unsigned lane, unsigned i)
{
	unsigned g = lane >> 2, t = lane % 4;
	if (is_quad(p))
		return quad_place(p, matrix, lane, i);
	return matrix == 'A'   ? place_of_a(p, g, t, i)
	       : matrix == 'B' ? place_of_b(p, g, t, i)
	                       : (struct spot){i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

/* --- mma --- */

struct fragments {
	uint8_t in[LANES][PLACE], out[LANES][PLACE]; /* A, B, C from bytes 0, 64 and 128 on */
};

static uint64_t read_element(const uint8_t *bytes, unsigned bits, unsigned i)
{
	uint64_t value = 0;
	memcpy(&value, bytes + (size_t)i * bits / 8, bits > 8 ? bits / 8 : 1);
	return value >> (bits < 8 ? i * bits % 8 : 0) & ones(bits);
}

static void write_element(uint8_t *bytes, unsigned bits, unsigned i, uint64_t value)
{
	if (bits < 8)
		bytes[i * bits / 8] |= (uint8_t)(value << i * bits % 8);
	else
		memcpy(bytes + (size_t)i * bits / 8, &value, bits / 8);
}

static unsigned slots(const struct product *p, unsigned rows, unsigned columns)
{
	return rows * columns * (is_quad(p) ? 4 : 1) / LANES;
}

static unsigned registers(const struct product *p, struct row_type type, unsigned rows, unsigned columns)
{
	return slots(p, rows, columns) * type.bits / (type.bits == 64 ? 64 : 32);
}

static void fill(const struct product *p, struct fragments *f, char matrix, struct row_type type, unsigned first,
                 unsigned rows, unsigned columns, const uint64_t *all)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < slots(p, rows, columns); i++) {
			struct spot place = place_of(p, matrix, lane, i);
			unsigned group = is_quad(p) ? lane / 4 % 4 : 0;
			assert_true(place.row < rows && place.column < columns);
			write_element(f->in[lane] + first, type.bits, i,
			              all[group * rows * columns + place.row * columns + place.column]);
		}
}

static void add_list(char *text, size_t size, char name, unsigned count)
{
	for (unsigned k = 0; k < count; k++)
		snprintf(text + strlen(text), size - strlen(text), "%s%%%c%u", k ? ", " : " {", name, k);
	snprintf(text + strlen(text), size - strlen(text), "}%s", name == 'c' ? ";\n" : ",");
}

static void add_moves(char *text, size_t size, const char *how, char name, unsigned first, unsigned count,
                      unsigned bits)
{
	for (unsigned k = 0; k < count; k++)
		if (how[0] == 'l')
			snprintf(text + strlen(text), size - strlen(text), "ld.global.b%u %%%c%u, [%%i+%u];\n", bits,
			         name, k, first + k * bits / 8);
		else
			snprintf(text + strlen(text), size - strlen(text), "st.global.b%u [%%o+%u], %%%c%u;\n", bits,
			         first + k * bits / 8, name, k);
}

static void run_mma(const struct product *p, struct fragments *f, const char *guard)
{
	char text[8192] = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 in, .param "
			  ".u64 out)\n{\n"
			  ".reg .u64 %i, %o;\n.reg .u32 %t;\n.reg .pred %p;\n";
	unsigned wide = p->a.bits == 64 ? 64 : 32;
	size_t size = sizeof text;
	snprintf(text + strlen(text), size - strlen(text),
	         ".reg .b%u %%a<8>, %%b<8>, %%c<8>, %%d<8>;\nld.param.u64 %%i, [in];\nld.param.u64 %%o, [out];\n"
	         "mov.u32 %%t, %%tid.x;\nmad.wide.u32 %%i, %%t, %d, %%i;\nmad.wide.u32 %%o, %%t, %d, %%o;\n"
	         "setp.ne.u32 %%p, %%t, 5;\n",
	         wide, PLACE, PLACE);
	unsigned d = registers(p, p->d, p->m, p->n);
	for (unsigned k = 0; k < d; k++)
		snprintf(text + strlen(text), size - strlen(text), "mov.b%u %%d%u, 7;\n", wide, k);
	add_moves(text, size, "ld", 'a', 0, registers(p, p->a, p->m, p->k), wide);
	add_moves(text, size, "ld", 'b', 64, registers(p, p->b, p->k, p->n), wide);
	add_moves(text, size, "ld", 'c', 128, registers(p, p->c, p->m, p->n), wide);
	snprintf(text + strlen(text), size - strlen(text), "%s%s%s", guard, p->op, p->words);
	add_list(text, size, 'd', d);
	add_list(text, size, 'a', registers(p, p->a, p->m, p->k));
	add_list(text, size, 'b', registers(p, p->b, p->k, p->n));
	add_list(text, size, 'c', registers(p, p->c, p->m, p->n));
	add_moves(text, size, "st", 'd', 0, d, wide);
	snprintf(text + strlen(text), size - strlen(text), "ret;\n}\n");
	struct kit kit;
	static unsigned level;
	level = exec_levels()[level + 1] ? level + 1 : 0;
	kit_open_level(&kit, text, level);
	void *in = kit_buffer(&kit, sizeof f->in), *out = kit_buffer(&kit, sizeof f->out);
	memcpy(in, f->in, sizeof f->in);
	kit_run(&kit);
	memcpy(f->out, out, sizeof f->out);
	kit_close(&kit);
}

static void check_mma(const struct product *p, uint64_t *random)
{
	static struct fragments f;
	static uint64_t a[MOST * 4], b[MOST * 4], c[MOST * 4];
	unsigned products = is_quad(p) ? 4 : 1;
	bool guarded = kit_random(random) % 4 == 0;
	random_matrix(p->a, a, products * p->m * p->k, random);
	random_matrix(p->b, b, products * p->k * p->n, random);
	random_matrix(p->c, c, products * p->m * p->n, random);
	memset(&f, 0, sizeof f);
	fill(p, &f, 'A', p->a, 0, p->m, p->k, a);
	fill(p, &f, 'B', p->b, 64, p->k, p->n, b);
	fill(p, &f, 'C', p->c, 128, p->m, p->n, c);
	run_mma(p, &f, guarded ? "@%p " : "");
	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned i = 0; i < slots(p, p->m, p->n); i++) {
			struct spot place = place_of(p, 'D', lane, i);
			unsigned group = is_quad(p) ? lane / 4 % 4 : 0;
			uint64_t before = c[group * p->m * p->n + place.row * p->n + place.column];
			uint64_t expected = dot(p, a + group * p->m * p->k, b + group * p->k * p->n, before, place.row,
			                        place.column);
			if (guarded && lane == 5)
				expected = p->d.bits == 16 && i % 2 ? 0 : 7;
			uint64_t got = read_element(f.out[lane], p->d.bits, i);
			if (got != expected)
				fail_msg("%s%s: D[%u][%u] in lane %u is %llx, expected %llx", p->op, p->words,
				         place.row, place.column, lane, (unsigned long long)got,
				         (unsigned long long)expected);
		}
}

/* --- wmma: matrices in memory --- */

struct lying {
	unsigned lines, length, stride; /* elements */
	bool by_columns;
};

static struct lying lie(unsigned rows, unsigned columns, bool by_columns, uint64_t *random)
{
	unsigned lines = by_columns ? columns : rows, length = by_columns ? rows : columns;
	return (struct lying){lines, length, length + 32 * (unsigned)(kit_random(random) % 2), by_columns};
}

static unsigned at(const struct lying *lying, unsigned row, unsigned column)
{
	return lying->by_columns ? column * lying->stride + row : row * lying->stride + column;
}

static void store_matrix(uint8_t *bytes, struct row_type type, const struct lying *lying, unsigned rows,
                         unsigned columns, const uint64_t *matrix)
{
	for (unsigned row = 0; row < rows; row++)
		for (unsigned column = 0; column < columns; column++)
			write_element(bytes, type.bits, at(lying, row, column), matrix[row * columns + column]);
}

enum { ROOM = 8192 };

static void add_access(char *text, size_t size, const char *how, const char *words, const struct product *p,
                       struct row_type type, const struct lying *lying, unsigned place, const char *list,
                       uint64_t *random)
{
	static const char *const space[] = {".global", "", ".shared"}, *const base[] = {"%i", "%i", "%s"};
	unsigned where = (unsigned)(kit_random(random) % 3);
	bool is_store = how[0] == 's', tight = lying->stride == lying->length && kit_random(random) % 2;
	char stride[32] = "";
	if (!tight)
		snprintf(stride, sizeof stride, kit_random(random) % 2 ? ", %u" : ", %%t", lying->stride);
	if (is_store)
		where = where == 2 ? 0 : where;
	snprintf(text + strlen(text), size - strlen(text), "mov.u32 %%t, %u;\nwmma.%s.sync.aligned.%s.%s%s.%s ",
	         lying->stride, words, lying->by_columns ? "col" : "row", p->shape, space[where], type.name);
	if (is_store)
		snprintf(text + strlen(text), size - strlen(text), "[%%i+%u], %s%s;\n", place, list, stride);
	else
		snprintf(text + strlen(text), size - strlen(text), "%s, [%s+%u]%s;\n", list, base[where], place,
		         stride);
}

static void list_of(char *text, char name, unsigned count)
{
	text[0] = '\0';
	for (unsigned k = 0; k < count; k++)
		sprintf(text + strlen(text), "%s%%%c%u", k ? ", " : "{", name, k);
	strcat(text, "}");
}

static unsigned wmma_registers(struct row_type type, unsigned elements, bool is_factor)
{
	return type.kind == 'h' && is_factor ? 8 : elements * type.bits / LANES / (type.bits == 64 ? 64 : 32);
}

static void check_wmma(const struct product *p, uint64_t *random)
{
	static uint64_t a[MOST], b[MOST], c[MOST];
	static uint8_t memory[4 * ROOM];
	char text[16384] = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry op(.param .u64 in)\n{\n.reg "
			   ".u64 %i, %g;\n"
			   ".reg .u32 %t, %s, %n;\n.reg .b64 %x;\n.reg .pred %p;\n.shared .align 32 .b8 s[24576];\n",
	     list[256];
	size_t size = sizeof text;
	unsigned wide = p->a.bits == 64 ? 64 : 32;
	struct lying la = lie(p->m, p->k, p->a_col, random), lb = lie(p->k, p->n, p->b_col, random),
		     lc = lie(p->m, p->n, kit_random(random) % 2, random),
		     ld = lie(p->m, p->n, kit_random(random) % 2, random);
	random_matrix(p->a, a, p->m * p->k, random);
	random_matrix(p->b, b, p->k * p->n, random);
	random_matrix(p->c, c, p->m * p->n, random);
	memset(memory, 0, sizeof memory);
	store_matrix(memory, p->a, &la, p->m, p->k, a);
	store_matrix(memory + ROOM, p->b, &lb, p->k, p->n, b);
	store_matrix(memory + 2 * ROOM, p->c, &lc, p->m, p->n, c);
	snprintf(text + strlen(text), size - strlen(text),
	         ".reg .b%u %%a<8>, %%b<8>, %%c<8>, %%d<8>;\nld.param.u64 %%i, [in];\nmov.u64 %%g, %%i;\nmov.u32 %%n, "
	         "0;\nmov.u32 %%s, s;\n"
	         "again:\nld.global.b64 %%x, [%%g];\nst.shared.b64 [%%s], %%x;\nadd.u64 %%g, %%g, 8;\nadd.u32 %%s, "
	         "%%s, 8;\n"
	         "add.u32 %%n, %%n, 8;\nsetp.lt.u32 %%p, %%n, %u;\n@%%p bra again;\nmov.u32 %%s, s;\n",
	         wide, 3 * ROOM);
	list_of(list, 'a', wmma_registers(p->a, p->m * p->k, true));
	add_access(text, size, "load", "load.a", p, p->a, &la, 0, list, random);
	list_of(list, 'b', wmma_registers(p->b, p->k * p->n, true));
	add_access(text, size, "load", "load.b", p, p->b, &lb, ROOM, list, random);
	list_of(list, 'c', wmma_registers(p->c, p->m * p->n, false));
	add_access(text, size, "load", "load.c", p, p->c, &lc, 2 * ROOM, list, random);
	snprintf(text + strlen(text), size - strlen(text), "%s%s", p->op, p->words);
	add_list(text, size, 'd', wmma_registers(p->d, p->m * p->n, false));
	add_list(text, size, 'a', wmma_registers(p->a, p->m * p->k, true));
	add_list(text, size, 'b', wmma_registers(p->b, p->k * p->n, true));
	add_list(text, size, 'c', wmma_registers(p->c, p->m * p->n, false));
	list_of(list, 'd', wmma_registers(p->d, p->m * p->n, false));
	add_access(text, size, "store", "store.d", p, p->d, &ld, 3 * ROOM, list, random);
	snprintf(text + strlen(text), size - strlen(text), "ret;\n}\n");
	struct kit kit;
	kit_open(&kit, text);
	uint8_t *in = kit_buffer(&kit, sizeof memory);
	memcpy(in, memory, sizeof memory);
	kit_run(&kit);
	for (unsigned row = 0; row < p->m; row++)
		for (unsigned column = 0; column < p->n; column++) {
			uint64_t got = read_element(in + 3 * ROOM, p->d.bits, at(&ld, row, column));
			uint64_t expected = dot(p, a, b, c[row * p->n + column], row, column);
			if (got != expected)
				fail_msg("%s%s: D[%u][%u] is %llx, expected %llx in\n%s", p->op, p->words, row, column,
				         (unsigned long long)got, (unsigned long long)expected, text);
			write_element(in + 3 * ROOM, p->d.bits, at(&ld, row, column), 0);
		}
	for (unsigned i = 0; i < ROOM; i++)
		assert_int_equal(in[3 * ROOM + i], 0); /* everything else is unchanged */
	kit_close(&kit);
}

/* --- all of them --- */

static struct row_type element(enum ptx_type type)
{
	static const struct row_type small[] = {
		{"u4", 4, 'u', 1}, {"s4", 4, 's', 1}, {"b1", 1, 'b', 1}, {"e4m3", 8, 'e', 1}, {"e5m2", 8, 'e', 1}};
	return type >= PTX_U4 && type <= PTX_E5M2 ? small[type - PTX_U4] : row_types[type];
}

static enum ptx_type type_number(uint64_t types, unsigned number)
{
	for (; number; number--)
		types &= types - 1;
	return (enum ptx_type)__builtin_ctzll(types);
}

static void check_product(const struct row *row, struct product *p, uint64_t *random)
{
	unsigned ways = 0;
	p->a_col = p->b_col = p->clamps = p->is_xor = false;
	p->rounding = FE_TONEAREST;
	strcpy(p->words, "");
	for (unsigned k = 0; k < row->count; k++) {
		const char *word = row->words[k];
		snprintf(p->words + strlen(p->words), sizeof p->words - strlen(p->words), ".%s", word);
		if (strcmp(word, "row") == 0 || strcmp(word, "col") == 0)
			*(ways++ ? &p->b_col : &p->a_col) = word[0] == 'c';
		p->clamps |= strcmp(word, "satfinite") == 0;
		p->is_xor |= strcmp(word, "xor") == 0;
		p->rounding = strcmp(word, "rz") == 0   ? FE_TOWARDZERO
		              : strcmp(word, "rm") == 0 ? FE_DOWNWARD
		              : strcmp(word, "rp") == 0 ? FE_UPWARD
		                                        : p->rounding;
		if (sscanf(word, "m%un%uk%u", &p->m, &p->n, &p->k) == 3)
			p->shape = word;
	}
	const char *types[] = {p->d.name, p->a.name, p->b.name, p->c.name};
	bool names_two = strcmp(p->op, "wmma") == 0 && p->a.kind == 'h';
	for (unsigned k = 0; k < 4; k++)
		if (!names_two || k == 0 || k == 3)
			snprintf(p->words + strlen(p->words), sizeof p->words - strlen(p->words), ".%s", types[k]);
	if (strcmp(p->op, "wmma") == 0)
		check_wmma(p, random);
	else
		check_mma(p, random);
}

/* Each word of each group, with any words of the others. */
static void check_words(struct row *row, struct product *p, uint64_t *random)
{
	for (unsigned group = 0; group < ROW_GROUPS; group++)
		for (unsigned word = 0; word < ROW_CHOICES; word++)
			if (row_words(row, group, word, random))
				check_product(row, p, random);
}

static void every_product(void **state)
{
	(void)state;
	uint64_t random = seed;
	for (uint32_t f = 0; f < rounds * ptx_form_count; f++) {
		const struct form *form = &ptx_forms[f % ptx_form_count];
		if ((form->op != PTX_OP_MMA && form->op != PTX_OP_WMMA) || is_old_form(form))
			continue;
		struct row row = {.form = form, .op = ptx_ops[form->op].name};
		struct product p = {.op = row.op};
		unsigned results = (unsigned)__builtin_popcountll(form->types),
			 factors = (unsigned)__builtin_popcountll(form->types2);
		for (unsigned d = 0; d < results; d++)
			for (unsigned a = 0; a < factors; a++) {
				bool names_two = !has_fourth_type(form);
				p.d = element(type_number(form->types, d));
				p.a = names_two ? row_types[PTX_F16] : element(type_number(form->types2, a));
				unsigned other = (unsigned)kit_random(&random) % factors;
				p.b = names_two || form->op == PTX_OP_WMMA ? p.a
				                                           : element(type_number(form->types2, other));
				p.c = names_two ? element(type_number(form->types2, a)) : p.d;
				check_words(&row, &p, &random);
				if (p.d.bits == 32 && strstr(form->suffixes, "m8n8k4 ") && p.a.kind == 'h') {
					p.c = element(PTX_F16); /* of the shapes, only this adds f16 to f32 */
					check_words(&row, &p, &random);
				}
			}
	}
}

int main(int count, char **arguments)
{
	if (count > 1)
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		seed = strtoull(arguments[2], NULL, 10);
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_product)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
