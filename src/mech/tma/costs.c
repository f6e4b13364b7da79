/* Storage of the engine. No area, power or energy of such an engine is published, so none is given. */
#include "mech/tma/tma.h"

enum {
	/* bits per entry: global and shared address, size, mbarrier; map, coordinates; warp, lane, group; rows and
	 * bytes generated */
	BYTES_BITS = 49 + 18 + 18 + 18,
	TILE_BITS = 49 + TENSOR_RANK * 32,
	STATE_BITS = 6 + 5 + 8 + 16 + 16,
	MAP_BITS = 8 * TENSOR_MAP_BYTES + 49,
};

uint32_t tma_costs(const void *options, const struct mech_machine *machine, struct mech_cost cost[MECH_MAX_COSTS])
{
	const struct tma_config *config = options;
	(void)machine;
	const uint32_t entry = BYTES_BITS + TILE_BITS + STATE_BITS;
	cost[0] = (struct mech_cost){"an entry", "bits", entry};
	cost[1] = (struct mech_cost){"entries, per SM", "bytes", entry * config->entries / 8.0};
	cost[2] = (struct mech_cost){"cache of tensor maps, per SM", "bytes", (double)MAP_BITS * config->maps / 8.0};
	return 3;
}
