// tensor_map.h: tensor maps of cp.async.bulk.tensor. A Tile names the box, its element, its swizzle and the promotion
// in the L2; encode() makes the map of a tensor of several such boxes.
#ifndef SLUICE_HARDWARE_TENSOR_MAP_H
#define SLUICE_HARDWARE_TENSOR_MAP_H

#include "kit.h"
#include <cuda.h>

typedef CUresult (*Encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                           const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                           CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static Encode encoder()
{
	static Encode encode = nullptr;
	cudaDriverEntryPointQueryResult status;
	if (!encode && cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode),
	                                                12000, cudaEnableDefault, &status) != cudaSuccess)
		encode = nullptr;
	if (!encode)
		fprintf(stderr, "note: no cuTensorMapEncodeTiled\n");
	return encode;
}

struct Tile {
	int rank;
	int element; // bytes
	int box[5];
	int swizzle;   // bytes of the span; 0: none
	int promotion; // bytes of the L2 promotion; 0: none
};

static uint32_t tile_bytes(const Tile &tile)
{
	uint32_t bytes = static_cast<uint32_t>(tile.element);
	for (int d = 0; d < tile.rank; d++)
		bytes *= static_cast<uint32_t>(tile.box[d]);
	return bytes;
}

// A map of a tensor over `base` whose extents are the box times `tiles`. False, with a note, if it is refused.
static bool encode(const Tile &tile, const int *tiles, void *base, CUtensorMap *map)
{
	static const struct {
		int bytes;
		CUtensorMapDataType type;
	} TYPES[] = {{1, CU_TENSOR_MAP_DATA_TYPE_UINT8},
	             {2, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
	             {4, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
	             {8, CU_TENSOR_MAP_DATA_TYPE_FLOAT64}};
	cuuint64_t extents[5], strides[5], stride = static_cast<cuuint64_t>(tile.element);
	cuuint32_t box[5], steps[5] = {1, 1, 1, 1, 1};
	CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
	for (auto &entry : TYPES)
		if (entry.bytes == tile.element)
			type = entry.type;
	for (int d = 0; d < tile.rank; d++) {
		extents[d] = static_cast<cuuint64_t>(tile.box[d]) * static_cast<cuuint64_t>(tiles[d]);
		stride *= extents[d];
		strides[d] = stride; // of dimension d + 1
		box[d] = static_cast<cuuint32_t>(tile.box[d]);
	}
	CUtensorMapSwizzle swizzle = tile.swizzle == 32    ? CU_TENSOR_MAP_SWIZZLE_32B
	                             : tile.swizzle == 64  ? CU_TENSOR_MAP_SWIZZLE_64B
	                             : tile.swizzle == 128 ? CU_TENSOR_MAP_SWIZZLE_128B
	                                                   : CU_TENSOR_MAP_SWIZZLE_NONE;
	CUtensorMapL2promotion promotion = tile.promotion == 128   ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
	                                   : tile.promotion == 256 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
	                                                           : CU_TENSOR_MAP_L2_PROMOTION_NONE;
	if (!encoder())
		return false;
	CUresult result =
		encoder()(map, type, static_cast<cuuint32_t>(tile.rank), base, extents, strides, box, steps,
	                  CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (result != CUDA_SUCCESS)
		fprintf(stderr, "note: tensor map of rank %d: error %d\n", tile.rank, static_cast<int>(result));
	return result == CUDA_SUCCESS;
}

static std::string box_text(const Tile &tile)
{
	std::string text = std::to_string(tile.box[0]);
	for (int d = 1; d < tile.rank; d++)
		text += "x" + std::to_string(tile.box[d]);
	return kit::text("rank=%d element=%d box=%s tile_bytes=%u swizzle=%d promotion=%d", tile.rank, tile.element,
	                 text.c_str(), tile_bytes(tile), tile.swizzle, tile.promotion);
}

// Tiles along each dimension: `rows` of them along the last; along the first a matrix row of about 4 KB, but at most
// `most` tiles.
static void tile_counts(const Tile &tile, int rows, int most, int *tiles)
{
	for (int d = 0; d < 5; d++)
		tiles[d] = 1;
	tiles[0] = std::max(1, std::min(most, 4096 / (tile.box[0] * tile.element)));
	if (tile.rank == 1)
		tiles[0] = rows;
	else
		tiles[tile.rank - 1] = rows;
}

#endif
