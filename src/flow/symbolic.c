/* symbolic: polynomials over atoms, and their text. */
#include "flow/symbolic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct sym_poly *new_poly(struct arena *arena, uint32_t room)
{
	return arena_alloc(arena, sizeof(struct sym_poly) + room * sizeof(struct sym_term));
}

int64_t sym_reduce(uint64_t value, uint32_t bits)
{
	if (bits >= 64)
		return (int64_t)value;
	uint64_t sign = UINT64_C(1) << (bits - 1), low = value & ((sign << 1) - 1);
	return (int64_t)((low ^ sign) - sign);
}

const struct sym_poly *sym_constant(struct arena *arena, int64_t value)
{
	struct sym_poly *poly = new_poly(arena, 1);
	if (value)
		poly->term[poly->count++] = (struct sym_term){.coef = value};
	return poly;
}

const struct sym_poly *sym_atom_poly(struct arena *arena, uint32_t atom)
{
	struct sym_poly *poly = new_poly(arena, 1);
	poly->term[poly->count++] = (struct sym_term){.coef = 1, .factors = 1, .factor = {atom}};
	return poly;
}

static int compare_terms(const struct sym_term *a, const struct sym_term *b)
{
	if (a->factors != b->factors)
		return a->factors < b->factors ? 1 : -1; /* products first, the constant last */
	for (uint32_t i = 0; i < a->factors; i++)
		if (a->factor[i] != b->factor[i])
			return a->factor[i] < b->factor[i] ? -1 : 1;
	return 0;
}

const struct sym_poly *sym_add(struct arena *arena, const struct sym_poly *a, const struct sym_poly *b, int64_t factor,
                               uint32_t bits)
{
	struct sym_poly *sum = new_poly(arena, a->count + b->count);
	uint32_t i = 0, k = 0;
	while (i < a->count || k < b->count) {
		int order = i == a->count ? 1 : k == b->count ? -1 : compare_terms(&a->term[i], &b->term[k]);
		struct sym_term *term = &sum->term[sum->count];
		uint64_t coef = order <= 0 ? (uint64_t)a->term[i].coef : 0;
		*term = order <= 0 ? a->term[i] : b->term[k];
		if (order >= 0)
			coef += (uint64_t)factor * (uint64_t)b->term[k].coef;
		i += order <= 0;
		k += order >= 0;
		term->coef = sym_reduce(coef, bits);
		sum->count += term->coef != 0;
	}
	return sum->count > SYM_MAX_TERMS ? NULL : sum;
}

/* Returns the product of a polynomial and one term. NULL: too many factors. */
static const struct sym_poly *scale(struct arena *arena, const struct sym_poly *a, const struct sym_term *by,
                                    uint32_t bits)
{
	const struct sym_poly *sum = sym_constant(arena, 0);
	for (uint32_t i = 0; i < a->count && sum; i++) {
		const struct sym_term *term = &a->term[i];
		struct sym_poly *one = new_poly(arena, 1);
		struct sym_term *product = &one->term[0];
		if (term->factors + by->factors > SYM_FACTORS)
			return NULL;
		for (uint32_t x = 0, y = 0; x < term->factors || y < by->factors;) {
			bool first = y == by->factors || (x < term->factors && term->factor[x] <= by->factor[y]);
			product->factor[product->factors++] = first ? term->factor[x++] : by->factor[y++];
		}
		product->coef = sym_reduce((uint64_t)term->coef * (uint64_t)by->coef, bits);
		one->count = product->coef != 0;
		sum = sym_add(arena, sum, one, 1, bits);
	}
	return sum;
}

const struct sym_poly *sym_multiply(struct arena *arena, const struct sym_poly *a, const struct sym_poly *b,
                                    uint32_t bits)
{
	const struct sym_poly *sum = sym_constant(arena, 0);
	for (uint32_t i = 0; i < b->count && sum; i++) {
		const struct sym_poly *part = scale(arena, a, &b->term[i], bits);
		sum = part ? sym_add(arena, sum, part, 1, bits) : NULL;
	}
	return sum;
}

bool sym_equal(const struct sym_poly *a, const struct sym_poly *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->term[i].coef != b->term[i].coef || compare_terms(&a->term[i], &b->term[i]) != 0)
			return false;
	return true;
}

bool sym_is_constant(const struct sym_poly *poly, int64_t *value)
{
	if (poly->count > 1 || (poly->count && poly->term[0].factors))
		return false;
	*value = poly->count ? poly->term[0].coef : 0;
	return true;
}

bool sym_mentions(const struct sym_poly *poly, uint32_t atom)
{
	for (uint32_t i = 0; i < poly->count; i++)
		for (uint32_t k = 0; k < poly->term[i].factors; k++)
			if (poly->term[i].factor[k] == atom)
				return true;
	return false;
}

/* Returns the CUDA C++ name. */
static const char *sreg_text(enum ptx_sreg sreg)
{
	static const char *const names[PTX_SREGS] = {
		[PTX_TID_X] = "threadIdx.x",  [PTX_TID_Y] = "threadIdx.y",  [PTX_TID_Z] = "threadIdx.z",
		[PTX_NTID_X] = "blockDim.x",  [PTX_NTID_Y] = "blockDim.y",  [PTX_NTID_Z] = "blockDim.z",
		[PTX_CTAID_X] = "blockIdx.x", [PTX_CTAID_Y] = "blockIdx.y", [PTX_CTAID_Z] = "blockIdx.z",
		[PTX_NCTAID_X] = "gridDim.x", [PTX_NCTAID_Y] = "gridDim.y", [PTX_NCTAID_Z] = "gridDim.z",
	};
	return names[sreg] ? names[sreg] : ptx_sreg_name(sreg);
}

/* Prints a parameter without the kernel's name as prefix. */
static void print_param(const struct sym *sym, const struct sym_atom *atom, FILE *file)
{
	const char *name = atom->variable->name;
	size_t length = strlen(sym->function->name);
	if (strncmp(name, sym->function->name, length) == 0 && name[length] == '_')
		name += length + 1;
	fputs(name, file);
	if (atom->variable->dimensions)
		fprintf(file, ".%u", atom->key2);
}

static void print_atom(const struct sym *sym, const struct sym_atom *atom, FILE *file)
{
	const char *name = atom->kind == SYM_LOAD ? "load" : "value";
	switch (atom->kind) {
	case SYM_PARAM:
		print_param(sym, atom, file);
		return;
	case SYM_SREG:
		fputs(sreg_text(atom->sreg), file);
		return;
	case SYM_SYMBOL:
		fprintf(file, "&%s", atom->variable->name);
		return;
	case SYM_COUNTER:
		fprintf(file, "i%u", atom->key2);
		return;
	case SYM_PHI:
		fprintf(file, "loop:%s", sym->function->regs[atom->key].name);
		return;
	case SYM_OP:
		name = ptx_op_name(sym->function->body[atom->inst].op);
		break;
	default:
		break;
	}
	uint32_t line = atom->inst == FLOW_NONE ? 0 : sym->function->body[atom->inst].source_line;
	if (line)
		fprintf(file, "[%s, line %u]", name, line);
	else
		fprintf(file, "[%s]", name);
}

char *sym_text(const struct sym *sym, const struct sym_poly *poly, int64_t divisor)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		abort();
	for (uint32_t i = 0; i < poly->count; i++) {
		const struct sym_term *term = &poly->term[i];
		int64_t coef = term->coef / divisor;
		uint64_t size = coef < 0 ? -(uint64_t)coef : (uint64_t)coef;
		fputs(i == 0 ? coef < 0 ? "-" : "" : coef < 0 ? " - " : " + ", file);
		if (size != 1 || !term->factors)
			fprintf(file, "%" PRIu64 "%s", size, term->factors ? "*" : "");
		for (uint32_t k = 0; k < term->factors; k++) {
			fputs(k ? "*" : "", file);
			print_atom(sym, &sym->atom[term->factor[k]], file);
		}
	}
	if (!poly->count)
		fputc('0', file);
	fclose(file);
	char *copy = arena_string(sym->arena, text, length);
	free(text);
	return copy;
}
