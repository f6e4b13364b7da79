/* Hardware costs, by the constants of section 6: CACTI 6.5 at 40 nm for arrays, and published ALUs scaled from 90
 * nm. */
#include "mech/teleport/teleport.h"

#include <math.h>

#define TAG_ARRAY_MM2  0.009 /* for 4 sets of 96 ways: 384 tags */
#define TAG_ARRAY_TAGS 384.0
#define TABLE_MM2      0.004 /* for 64 entries */
#define TABLE_ENTRIES  64.0
#define ALU_90NM_MM2   0.071
#define DIE_GTX480_MM2 529.0

enum {
	FIXED_BYTES = 1 + 4, /* per entry: data type size, pointer */
	FIELDS = 8,          /* products and offsets, of 2 bytes in the paper */
	PAPER_BYTES = 21,
	ALUS = 12, /* 6 multipliers and 6 adders, so that a row's range takes one cycle */
};

static double tags_of(const struct teleport_config *config, const struct mech_machine *machine)
{
	return config->buffer_kb * 1024.0 / machine->line_bytes;
}

static double entry_bytes(const struct teleport_config *config)
{
	return FIXED_BYTES + FIELDS * config->field_bits / 8.0;
}

uint32_t teleport_costs(const void *options, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct teleport_config *config = options;
	double scale = 40.0 * 40.0 / (90.0 * 90.0);
	double tags = tags_of(config, machine);
	double tag_area = machine->sms * TAG_ARRAY_MM2 * tags / TAG_ARRAY_TAGS;
	double entry = entry_bytes(config);
	double table_area = TABLE_MM2 * config->table_entries / TABLE_ENTRIES * entry / PAPER_BYTES;
	double alu_area = ALUS * ALU_90NM_MM2 * scale;
	double all = tag_area + table_area + alu_area;
	const struct mech_cost rows[] = {
		{"preload table", "bytes", config->table_entries * entry},
		{"tags of the buffer, per SM", "tags", tags},
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

/* --- energy: not in the paper --- */

/* Reading 64 bits of an 8 KB SRAM at 40 nm and 0.9 V (Keckler et al., IEEE Micro 2011). The energy per bit scales
 * with the square root of the array's size. */
#define SRAM_PICOJOULES 14.0
#define SRAM_BITS       64.0
#define SRAM_BYTES      8192.0
/* Leakage of 708 bytes of tables and their logic at 45 nm (Koo et al., CAPS, IPDPS 2018, section V-D). */
#define TABLES_WATTS 550e-6
#define TABLES_BYTES 708.0

enum {
	TAG_BITS = 32, /* the line's address and the valid bits of its sectors */
	WORD_BITS = 32,
	SHARED_BANK_BYTES = 2048, /* the buffer's data array: 32 banks wide */
	LANES = 32,
};

static double sram_picojoules(double bits, double array_bytes)
{
	return SRAM_PICOJOULES / SRAM_BITS * bits * sqrt(array_bytes / SRAM_BYTES);
}

uint32_t teleport_energies(const void *options, const struct mech_machine *machine,
                           struct mech_energy energy[MECH_MAX_ENERGIES])
{
	static const char sram[] = "by bits and size of the array, from Keckler et al., IEEE Micro 2011: SRAM at 40 nm",
			  leakage[] = "by bytes, from CAPS, IPDPS 2018, V-D: 550 uW of 708 bytes of tables at 45 nm";
	const struct teleport_config *config = options;
	double tag_bytes = tags_of(config, machine) * TAG_BITS / 8,
	       table_bytes = config->table_entries * entry_bytes(config);
	double set_bits = tag_bytes * 8 / config->sets; /* all ways of a set are compared */
	double line = sram_picojoules(LANES * WORD_BITS, SHARED_BANK_BYTES);
	const struct mech_energy rows[] = {
		{.what = "lookup of the buffer's tags",
	         .source = sram,
	         .node = 40,
	         .events = "demand",
	         .picojoules = sram_picojoules(set_bits, tag_bytes)},
		{.what = "fill of the buffer: a tag and a line",
	         .source = sram,
	         .node = 40,
	         .events = "issued",
	         .picojoules = sram_picojoules(TAG_BITS, tag_bytes) + line},
		{.what = "data of a hit",
	         .source = sram,
	         .node = 40,
	         .events = "demand_hits + demand_merged",
	         .picojoules = line},
		{.what = "a row of the preload table, read for a block",
	         .source = sram,
	         .node = 40,
	         .events = "rows * loaded_blocks",
	         .picojoules = sram_picojoules(entry_bytes(config) * 8, table_bytes)},
		{.what = "leakage of the tags",
	         .source = leakage,
	         .node = 45,
	         .watts = TABLES_WATTS * tag_bytes / TABLES_BYTES},
		{.what = "leakage of the preload table",
	         .source = leakage,
	         .node = 45,
	         .watts = TABLES_WATTS * table_bytes / TABLES_BYTES,
	         .of_gpu = true},
	};
	uint32_t count = sizeof rows / sizeof *rows;
	for (uint32_t i = 0; i < count; i++)
		energy[i] = rows[i];
	return count;
}
