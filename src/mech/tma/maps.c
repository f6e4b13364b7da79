/* The cache of tensor maps, with LRU replacement. */
#include "mech/tma/tma.h"

bool tma_map_is_there(struct mech_sm *sm, uint64_t address)
{
	const struct tma_config *config = sm->config;
	struct tma_sm *engine = tma_engine(sm);
	struct tma_stats *stats = sm->stats;
	struct tma_map *found = &engine->map[0];
	for (uint32_t i = 1; i < config->maps && !(found->used && found->address == address); i++) {
		struct tma_map *map = &engine->map[i];
		if ((map->used && map->address == address) || map->used < found->used)
			found = map;
	}
	bool hit = found->used && found->address == address;
	*(hit ? &stats->map_hits : &stats->map_misses) += 1;
	*found = (struct tma_map){address, ++engine->uses};
	return hit;
}
