/* Capacity of a preload-table entry (section 6): a pointer of 4 bytes, a data type size of 1 byte, and eight
 * products and offsets of field_bits each. Software that fills the table may fold an offset into the pointer and
 * choose the data type size. So a row fits if it does with some such choice. */
#include "mech/teleport/teleport.h"

enum { POINTER_BITS = 32, LARGEST_TYPE = UINT8_MAX };

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The largest data type size that divides all of the row's numbers. */
static int64_t type_size(const struct mech_row *row)
{
	uint64_t divisor = common_divisor(magnitude(row->low), magnitude(row->high));
	for (uint32_t i = 0; i < 3; i++)
		divisor =
			common_divisor(common_divisor(divisor, magnitude(row->low_by[i])), magnitude(row->high_by[i]));
	int64_t size = divisor && divisor < LARGEST_TYPE ? (int64_t)divisor : LARGEST_TYPE;
	while (divisor % (uint64_t)size)
		size--;
	return size;
}

static bool fits_field(int64_t value, uint32_t bits)
{
	int64_t most = (int64_t)(UINT64_MAX >> 1 >> (64 - bits));
	return value >= -most - 1 && value <= most;
}

/* The largest index is that of the row's last element. */
static bool fits(const struct mech_row *row, uint32_t bits)
{
	int64_t size = type_size(row);
	bool all = !(row->base >> POINTER_BITS) && fits_field(row->low / size, bits) &&
	           fits_field(row->high / size - 1, bits);
	for (uint32_t i = 0; i < 3; i++)
		all = all && fits_field(row->low_by[i] / size, bits) && fits_field(row->high_by[i] / size, bits);
	return all;
}

/* With the smallest offset folded into the pointer. Returns false if the largest offset overflows or does not fit. */
static bool fits_folded(struct mech_row row, uint32_t bits)
{
	row.base += (uint64_t)row.low;
	bool known = !__builtin_sub_overflow(row.high, row.low, &row.high);
	row.low = 0;
	return known && fits(&row, bits);
}

uint32_t teleport_fitting_rows(const struct mech_gpu *gpu, const struct mech_rows *rows, struct mech_row *fitting)
{
	const struct teleport_config *config = gpu->config;
	uint32_t count = 0;
	for (uint32_t i = 0; i < rows->rows; i++)
		if (fits(&rows->row[i], config->field_bits) || fits_folded(rows->row[i], config->field_bits))
			fitting[count++] = rows->row[i];
	return count;
}
