/* sharing_kit: for the tests of this folder, the mechanism on a machine with one SM, and a log of its blocks'
 * events. A block has 24,576 bytes of shared memory; a tenth is 2,457. */
#ifndef SLUICE_MECH_SHARING_SHARING_KIT_H
#define SLUICE_MECH_SHARING_SHARING_KIT_H

#include "base/dma.h"
#include "gpu_kit.h"

enum { BYTES = 24576, WARP = 32, BLOCKS = 64 };

/* Log of the launch, in one host thread: cycles, by block. */
static struct {
	uint64_t begin[BLOCKS], end[BLOCKS], touch[BLOCKS], last_touch[BLOCKS], relssp[BLOCKS];
	uint64_t command[BLOCKS]; /* cycle of the last command that asked for a transfer by DMA */
	uint32_t slot[BLOCKS], touches[BLOCKS];
	uint64_t number[MECH_MAX_BLOCKS]; /* of the block in a slot */
	uint32_t resident, most_resident;
} saw;

static inline void saw_block(struct mech_sm *sm, const struct mech_block *block)
{
	(void)sm;
	assert_in_range(block->number, 0, BLOCKS - 1);
	saw.number[block->slot] = block->number;
	saw.slot[block->number] = block->slot;
	saw.begin[block->number] = block->cycle;
	saw.most_resident = ++saw.resident > saw.most_resident ? saw.resident : saw.most_resident;
}

static inline void saw_end(struct mech_sm *sm, const struct mech_block *block)
{
	(void)sm;
	saw.end[block->number] = block->cycle;
	saw.resident--;
}

static inline void saw_issue(struct mech_sm *sm, const struct mech_issue *issue)
{
	uint64_t block = saw.number[issue->block];
	(void)sm;
	if (strcmp(issue->name, "relssp") == 0)
		saw.relssp[block] = issue->cycle;
	if (dma_is_transfer(dma_command_of(issue->name)))
		saw.command[block] = issue->cycle;
	if (issue->type != MECH_MEMORY || (issue->space != MECH_SHARED && issue->space != MECH_GENERIC))
		return;
	if (!saw.touches[block]++)
		saw.touch[block] = issue->cycle;
	saw.last_touch[block] = issue->cycle;
}

static const struct mech looker = {
	.version = MECH_VERSION, .name = "looker", .block_begin = saw_block, .block_end = saw_end, .issue = saw_issue};

/* Memory for one block, and for a pair's common part of any size. */
#define ONE_PAIR "sm.shared_bytes=27648", "sm.count=1"

static const char *kit_beside; /* another mechanism to attach to the next machines, with number 1; or NULL */

static inline void open_sharing(struct gpu_kit *kit, const char *mechanism, const char *const *options)
{
	static const struct mech *const set[] = {&looker, NULL};
	memset(&saw, 0, sizeof saw);
	kit_mechanisms = set;
	kit_describe(kit, options);
	if (mechanism)
		kit_attach(kit, mechanism);
	if (kit_beside)
		kit_attach(kit, kit_beside);
	kit_build(kit);
	kit_mechanisms = NULL;
	kit->param = kit_buffer(kit, NULL, 1 << 14);
}

#define OPEN(kit, mechanism, ...) open_sharing(kit, mechanism, (const char *const[]){__VA_ARGS__, NULL})

static inline uint64_t counted(const struct gpu_kit *kit, const char *name)
{
	return kit_counter(kit, 0, name);
}

#endif
