/* What the hardware costs, by the constants of section 6: CACTI 6.5 at 40 nm for arrays, published ALUs scaled from 90 nm. */
#include "mech/teleport/teleport.h"

#define TAG_ARRAY_MM2  0.009 /* of 4 sets of 96 ways: 384 tags */
#define TAG_ARRAY_TAGS 384.0
#define TABLE_MM2      0.004 /* of 64 entries */
#define TABLE_ENTRIES  64.0
#define ALU_90NM_MM2   0.071
#define DIE_GTX480_MM2 529.0

enum {
	FIXED_BYTES = 1 + 4, /* of an entry: data type size, pointer */
	FIELDS = 8,          /* products and offsets, of 2 bytes in the paper */
	PAPER_BYTES = 21,
	ALUS = 12, /* 6 multipliers and 6 adders, so that a row's range takes one cycle */
};

uint32_t teleport_costs(const void *options, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct teleport_config *config = options;
	double scale = 40.0 * 40.0 / (90.0 * 90.0);
	double tags = config->buffer_kb * 1024.0 / machine->line_bytes;
	double tag_area = machine->sms * TAG_ARRAY_MM2 * tags / TAG_ARRAY_TAGS;
	double entry = FIXED_BYTES + FIELDS * config->field_bits / 8.0;
	double table_area = TABLE_MM2 * config->table_entries / TABLE_ENTRIES * entry / PAPER_BYTES;
	double alu_area = ALUS * ALU_90NM_MM2 * scale;
	double all = tag_area + table_area + alu_area;
	const struct mech_cost rows[] = {
		{"preload table", "bytes", config->table_entries * entry},
		{"tags of the buffer, an SM", "tags", tags},
		{"tags of all SMs, area at 40 nm", "mm2", tag_area},
		{"preload table, area at 40 nm", "mm2", table_area},
		{"controller's 12 ALUs, area at 40 nm", "mm2", alu_area},
		{"all together", "mm2", all},
		{"of a GTX 480's die (529 mm2)", "%", 100 * all / DIE_GTX480_MM2},
	};
	uint32_t count = sizeof rows / sizeof *rows;
	for (uint32_t i = 0; i < count; i++)
		cost[i] = rows[i];
	return count;
}
