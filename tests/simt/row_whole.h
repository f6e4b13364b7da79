/* row_whole: models in plain C of integer and video instructions. */
#ifndef SLUICE_TESTS_ROW_WHOLE_H
#define SLUICE_TESTS_ROW_WHOLE_H

#include "row_numbers.h"

static inline uint32_t reversed(uint32_t a)
{
	uint32_t result = 0;
	for (unsigned k = 0; k < 32; k++)
		result |= (a >> k & 1) << (31 - k);
	return result;
}

static inline uint64_t product(struct row_type type, wide a, wide b, bool high)
{
	uwide magnitude = (uwide)(a < 0 ? -a : a) * (uwide)(b < 0 ? -b : b);
	uwide result = (a < 0) != (b < 0) ? -magnitude : magnitude;
	return (uint64_t)(high ? result >> type.bits : result);
}

static inline wide product24(const struct row *row, wide a, wide b)
{
	struct row_type type = row->type[0];
	type.bits = 24;
	wide all = whole(type, (uint64_t)a) * whole(type, (uint64_t)b);
	return row_has(row, "hi") ? all >> 16 : (wide)(uint32_t)all;
}

static inline uint64_t bit_field(struct row_type type, uint64_t a, uint64_t position, uint64_t length)
{
	uint64_t result = 0;
	uint64_t last = position + length - 1 < type.bits - 1 ? position + length - 1 : type.bits - 1;
	bool sign = type.kind == 's' && length && a >> last & 1;
	for (unsigned k = 0; k < type.bits; k++) {
		bool bit = k < length && position + k < type.bits ? a >> (position + k) & 1 : sign;
		result |= (uint64_t)bit << k;
	}
	return result;
}

static inline uint64_t inserted(struct row_type type, uint64_t field, uint64_t into, uint64_t position, uint64_t length)
{
	for (unsigned k = 0; k < length && position + k < type.bits; k++)
		into = (into & ~((uint64_t)1 << (position + k))) | (field >> k & 1) << (position + k);
	return into;
}

static inline uint64_t found(const struct row *row, wide value)
{
	unsigned bits = row->type[0].bits;
	uint64_t a = (uint64_t)(value < 0 ? ~value : value) & ones(bits);
	for (unsigned k = bits; k-- > 0;)
		if (a >> k & 1)
			return row_has(row, "shiftamt") ? bits - 1 - k : k;
	return UINT32_MAX;
}

static inline uint32_t permuted(const struct row *row, uint32_t a, uint32_t b, uint32_t c)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	unsigned n = c & 3;
	uint32_t result = 0;
	for (unsigned k = 0; k < 4; k++) {
		unsigned from = row_has(row, "f4e")   ? n + k
				: row_has(row, "b4e") ? (n + 8 - k) % 8
				: row_has(row, "rc8") ? n
				: row_has(row, "ecl") ? (k < n ? n : k)
				: row_has(row, "ecr") ? (k < n ? k : n)
				: row_has(row, "rc16") ? 2 * (n & 1) + (k & 1)
						       : c >> 4 * k & 15;
		uint32_t byte = (uint32_t)(bytes >> 8 * (from & 7)) & 255;
		result |= (from & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * k;
	}
	return result;
}

static inline uint32_t dot(const struct row *row, uint32_t a, uint32_t b, uint32_t c)
{
	unsigned bits = row_is(row, "dp4a") ? 8 : 16, first = row_has(row, "hi") ? 16 : 0;
	struct row_type from_a = row->type[0], from_b = row->type[1];
	from_a.bits = bits;
	from_b.bits = 8;
	for (unsigned k = 0; k < 32 / bits; k++)
		c += (uint32_t)(whole(from_a, a >> k * bits) * whole(from_b, b >> (k * 8 + first)));
	return c;
}

static inline uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
	if (offset == INT32_MIN)
		return 0;
	if (offset == 0)
		return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
	int64_t count = offset < 0 ? -(int64_t)offset : offset;
	for (int64_t at = (int32_t)base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
		if (mask >> at & 1 && --count == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

static inline uint32_t bit_mask(const struct row *row, uint32_t a, uint32_t b)
{
	uint32_t result = 0;
	uint64_t from = row_has(row, "wrap") ? a % 32 : a, length = row_has(row, "wrap") ? b % 32 : b;
	for (uint64_t k = 0; k < 32; k++)
		result |= (uint32_t)(k >= from && k - from < length) << k;
	return result;
}

static inline uint32_t extended(const struct row *row, uint32_t a, uint32_t b)
{
	uint32_t length = row_has(row, "wrap") ? b % 32 : b < 32 ? b : 32;
	struct row_type type = row->type[0];
	type.bits = length;
	return length ? (uint32_t)whole(type, a) : 0;
}

/* min, max and their variants. */
static inline wide extreme(const struct row *row, wide a, wide b)
{
	wide result = (a < b) == (strncmp(row->op, "min", 3) == 0) ? a : b;
	return row_has(row, "relu") && result < 0 ? 0 : result;
}

static inline bool whole_operation(const struct row *row, const uint64_t in[4], bool carry, struct expected *out)
{
	struct row_type type = row->type[0];
	const uint32_t r[3] = {(uint32_t)in[0], (uint32_t)in[1], (uint32_t)in[2]};
	wide a = whole(type, in[0]), b = whole(type, in[1]), c = whole(type, in[2]);
	const uint32_t used = type.bits == 64 ? UINT32_MAX : 255; /* of a bit field's position and length */
	bool high = row_has(row, "hi"), is_wide = row_has(row, "wide");
	const char *op = row->op;
	uwide sum = 0;
	if (IS("add") || IS("addc")) {
		sum = (uwide)(in[0] & ones(type.bits)) + (in[1] & ones(type.bits)) + (IS("addc") && carry);
		out->bits = (uint64_t)(row_has(row, "sat") ? (uwide)clamp(a + b, least(type), most(type)) : sum);
		out->second = (uint64_t)(sum >> type.bits) & 1;
	} else if (IS("sub") || IS("subc")) {
		sum = (uwide)(in[0] & ones(type.bits)) - (in[1] & ones(type.bits)) - (IS("subc") && !carry);
		out->bits = (uint64_t)(row_has(row, "sat") ? (uwide)clamp(a - b, least(type), most(type)) : sum);
		out->second = (uint64_t)(sum >> type.bits) & 1;
	} else if (IS("mul")) {
		out->bits = product(type, a, b, high);
	} else if (IS("mad") || IS("madc")) {
		uint64_t part = product(type, a, b, high);
		if (!is_wide)
			part &= ones(type.bits);
		sum = (uwide)part + (in[2] & ones(type.bits * (is_wide ? 2 : 1))) + (IS("madc") && carry);
		out->bits = row_has(row, "sat") ? (uint64_t)clamp(whole(type, part) + c, least(type), most(type)) : (uint64_t)sum;
		out->second = (uint64_t)(sum >> type.bits) & 1;
	} else if (IS("mul24")) {
		out->bits = (uint64_t)product24(row, a, b);
	} else if (IS("mad24")) {
		wide value = product24(row, a, b) + c;
		out->bits = (uint64_t)(row_has(row, "sat") ? clamp(value, least(type), most(type)) : value);
	} else if (IS("sad")) {
		out->bits = (uint64_t)(c + (a < b ? b - a : a - b));
	} else if (IS("div")) {
		out->bits = b == 0 ? UINT64_MAX : (uint64_t)(a / b);
	} else if (IS("rem")) {
		out->bits = b == 0 ? UINT64_MAX : (uint64_t)(a % b);
	} else if (IS("abs")) {
		out->bits = (uint64_t)(a < 0 ? -a : a);
	} else if (IS("neg")) {
		out->bits = (uint64_t)-a;
	} else if (IS("min") || IS("max")) {
		out->bits = (uint64_t)extreme(row, a, b);
	} else if (IS("and")) {
		out->bits = in[0] & in[1];
	} else if (IS("or")) {
		out->bits = in[0] | in[1];
	} else if (IS("xor")) {
		out->bits = in[0] ^ in[1];
	} else if (IS("not")) {
		out->bits = ~in[0];
	} else if (IS("cnot")) {
		out->bits = a == 0;
	} else if (IS("mov")) {
		out->bits = in[0];
	} else if (IS("lop3")) {
		for (unsigned k = 0; k < 32; k++)
			out->bits |= (uint64_t)(row->table >> ((in[0] >> k & 1) << 2 | (in[1] >> k & 1) << 1 | (in[2] >> k & 1)) & 1) << k;
		out->second = row_has(row, "and") ? out->bits && (in[3] & 1) != row->negated : out->bits || (in[3] & 1) != row->negated;
	} else if (IS("cvt.pack")) {
		wide low = clamp((int32_t)r[1], least(type), most(type)), up = clamp((int32_t)r[0], least(type), most(type));
		uint64_t above = type.bits == 16 ? 0 : (uint64_t)r[2] << 2 * type.bits;
		out->bits = above | ((uint64_t)up & ones(type.bits)) << type.bits | ((uint64_t)low & ones(type.bits));
	} else if (IS("shl")) {
		out->bits = r[1] < type.bits ? in[0] << r[1] : 0;
	} else if (IS("shr")) {
		out->bits = (uint64_t)(a >> (r[1] < type.bits ? r[1] : type.bits));
	} else if (IS("shf")) {
		unsigned n = row_has(row, "wrap") ? r[2] % 32 : r[2] < 32 ? r[2] : 32;
		uwide both = (uwide)r[1] << 32 | r[0];
		out->bits = (uint64_t)(row_has(row, "l") ? both << n >> 32 : both >> n);
	} else if (IS("prmt")) {
		out->bits = permuted(row, r[0], r[1], r[2]);
	} else if (IS("bfe")) {
		out->bits = bit_field(type, in[0], r[1] & used, r[2] & used);
	} else if (IS("bfi")) {
		out->bits = inserted(type, in[0], in[1], r[2] & used, (uint32_t)in[3] & used);
	} else if (IS("bfind")) {
		out->bits = found(row, a);
	} else if (IS("brev")) {
		out->bits = type.bits == 64 ? (uint64_t)reversed(r[0]) << 32 | reversed((uint32_t)(in[0] >> 32)) : reversed(r[0]);
	} else if (IS("clz")) {
		while (out->bits < type.bits && !(in[0] >> (type.bits - 1 - out->bits) & 1))
			out->bits++;
	} else if (IS("popc")) {
		for (unsigned k = 0; k < type.bits; k++)
			out->bits += in[0] >> k & 1;
	} else if (IS("dp4a") || IS("dp2a")) {
		out->bits = dot(row, r[0], r[1], r[2]);
	} else if (IS("bmsk")) {
		out->bits = bit_mask(row, r[0], r[1]);
	} else if (IS("szext")) {
		out->bits = extended(row, r[0], r[1]);
	} else if (IS("fns")) {
		out->bits = nth_set(r[0], r[1], (int32_t)r[2]);
	} else {
		return false;
	}
	return true;
}

/* --- video --- */

static inline wide video_source(const struct row *row, const uint64_t in[4], unsigned operand, unsigned part, struct row_type type)
{
	size_t length = strlen(row->op);
	unsigned parts = row->op[length - 1] == '4' ? 4 : row->op[length - 1] == '2' ? 2 : 1;
	const char *select = row->select[operand];
	uint64_t from = in[operand - 1] & UINT32_MAX;
	if (parts == 1) {
		type.bits = !select[0] ? 32 : select[0] == 'b' ? 8 : 16;
		return whole(type, select[0] ? from >> (unsigned)(select[1] - '0') * type.bits : from);
	}
	unsigned digit = part + (operand == 2 ? parts : 0);
	type.bits = 32 / parts;
	if (select[0])
		digit = (unsigned)(select[parts - part] - '0');
	return whole(type, ((in[1] & UINT32_MAX) << 32 | (in[0] & UINT32_MAX)) >> digit * type.bits);
}

static inline bool video_compare(const struct row *row, wide a, wide b)
{
	return row_has(row, "eq")   ? a == b
	       : row_has(row, "ne") ? a != b
	       : row_has(row, "lt") ? a < b
	       : row_has(row, "le") ? a <= b
	       : row_has(row, "gt") ? a > b
				    : a >= b;
}

static inline wide video_value(const struct row *row, wide a, wide b)
{
	const char *op = row->op;
	uint32_t amount = (uint32_t)b;
	amount = row_has(row, "wrap") ? amount % 32 : amount < 32 ? amount : 32;
	if (strncmp(op, "vadd", 4) == 0)
		return a + b;
	if (strncmp(op, "vsub", 4) == 0)
		return a - b;
	if (strncmp(op, "vabsdiff", 8) == 0)
		return a < b ? b - a : a - b;
	if (strncmp(op, "vmin", 4) == 0)
		return a < b ? a : b;
	if (strncmp(op, "vmax", 4) == 0)
		return a < b ? b : a;
	if (strncmp(op, "vavrg", 5) == 0)
		return (a + b + (a + b < 0 ? 0 : 1)) >> 1;
	if (strcmp(op, "vshl") == 0)
		return a * ((wide)1 << amount);
	if (strcmp(op, "vshr") == 0)
		return a >> amount;
	return video_compare(row, a, b);
}

static inline bool video_operation(const struct row *row, const uint64_t in[4], struct expected *out)
{
	bool is_set = strncmp(row->op, "vset", 4) == 0;
	static const struct row_type u32 = {"u32", 32, 'u', 1};
	struct row_type to = is_set ? u32 : row->type[0], a = row->type[is_set ? 0 : 1], b = row->type[is_set ? 1 : 2];
	size_t length = strlen(row->op);
	unsigned parts = row->op[length - 1] == '4' ? 4 : row->op[length - 1] == '2' ? 2 : 1;
	const char *select = row->select[0];
	uint32_t c = (uint32_t)in[2], result = c;
	struct row_type part_type = to;
	if (strcmp(row->op, "vmad") == 0) {
		struct row_type sum_type = {"", 32, a.kind == 's' || b.kind == 's' ? 's' : 'u', 1};
		wide sum = video_source(row, in, 1, 0, a) * video_source(row, in, 2, 0, b) + whole(sum_type, c) + row_has(row, "po");
		sum >>= row_has(row, "shr7") ? 7 : row_has(row, "shr15") ? 15 : 0;
		out->bits = (uint64_t)(row_has(row, "sat") ? clamp(sum, least(sum_type), most(sum_type)) : sum);
		return true;
	}
	part_type.bits = parts > 1 ? 32 / parts : !select[0] ? 32 : select[0] == 'b' ? 8 : 16;
	for (unsigned part = 0; part < parts; part++) {
		unsigned place = parts == 1 && select[0] ? (unsigned)(select[1] - '0') : part;
		if (parts > 1 && select[0] && !strchr(select + 1, (int)('0' + part)))
			continue;
		wide value = video_value(row, video_source(row, in, 1, part, a), video_source(row, in, 2, part, b));
		if (row_has(row, "sat"))
			value = clamp(value, least(part_type), most(part_type));
		if (row_has(row, "add"))
			result += (uint32_t)value;
		else if (row_has(row, "min"))
			result = (uint32_t)(value < whole(to, c) ? value : whole(to, c));
		else if (row_has(row, "max"))
			result = (uint32_t)(value > whole(to, c) ? value : whole(to, c));
		else
			result = (uint32_t)((result & ~(ones(part_type.bits) << place * part_type.bits)) |
					    ((uint64_t)value & ones(part_type.bits)) << place * part_type.bits);
	}
	out->bits = result;
	return true;
}

#endif
