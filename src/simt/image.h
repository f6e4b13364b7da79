/* image: executes the instructions on textures and surfaces. */
#ifndef SLUICE_SIMT_IMAGE_H
#define SLUICE_SIMT_IMAGE_H

#include "simt/exec.h"
#include "simt/texture.h"

enum { IMAGE_COORDINATES = 4, IMAGE_MORE = 8, IMAGE_VALUES = 4 };

/* Location of a lane's operand value: a row of the warp's registers or of the program's constants. */
struct image_source {
	uint32_t offset;
	bool is_constant;
};

/* An instruction's operands; simt_inst.immediate points here. */
struct image_operands {
	struct image_source handle, sampler; /* 64 bits per lane */
	bool has_sampler;
	struct image_source coordinate[IMAGE_COORDINATES]; /* the layer first, if there is one */
	struct image_source more[IMAGE_MORE];              /* tex: the level, or both derivatives in turn */
	uint32_t derivatives;                              /* elements of one derivative */
	struct image_source value[IMAGE_VALUES];           /* sust, sured */
	bool is_wide;                                      /* the values have 64 bits */
	uint32_t resident; /* predicate that is true when all texels are resident, or SIMT_NO_REGISTER */
};

/* Per-block state: the texels that the last tex instruction read, by lane, and the memory range last found valid. */
struct image_block {
	struct texels lane[WARP_SIZE];
	uint32_t texel_bytes;
	struct simt_range range;
};

bool image_is(enum ptx_opcode op); /* tex, tld4, txq, suq, suld, sust, sured */

simt_exec image_read, image_gather, image_query, image_load, image_store, image_store_commit, image_reduce,
	image_reduce_commit;

/* Allocates and frees the block's image state. */
void image_block_start(struct simt_block *block);
void image_block_free(struct simt_block *block);

#endif
