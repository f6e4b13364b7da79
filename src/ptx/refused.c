/* refused: PTX that no machine here supports. The message names the feature, and only the kernel that uses it is
 * affected. */
#include "ptx/parse.h"

#include <string.h>

struct refusal {
	/* word: a suffix; NULL: all instructions of the opcode. A word ending in ':' matches as a prefix. */
	const char *opcode, *word;
	const char *why;
};

static const struct refusal refusals[] = {
	{"wgmma", NULL, "no machine here multiplies matrices by groups of warps"},
	{"tcgen05", NULL, "no machine here has tensor memory"},
	{"multimem", NULL, "no address here is that of several devices"},
	{"tensormap", NULL, "no machine here changes tensor maps"},
	{"clusterlaunchcontrol", NULL, "no machine here launches clusters of blocks"},
	{"istypep", NULL, "textures, samplers and surfaces are not told apart by their addresses"},
	{"cp.async.bulk", "cp_mask", "no machine here leaves bytes of a copy in bulk out"},
	{"cp.reduce.async.bulk", "f16", "no machine here reduces numbers of 16 bits in bulk"},
	{"cp.reduce.async.bulk", "bf16", "no machine here reduces numbers of 16 bits in bulk"},
	{"cp.async.bulk.tensor", "im2col", "no machine here copies columns of images"},
	{"cp.async.bulk.tensor", "im2col::", "no machine here copies columns of images"},
	{"cp.async.bulk.tensor", "im2col_no_offs", "no machine here copies columns of images"},
	{"cp.async.bulk.tensor", "tile::", "no machine here gathers or scatters rows of tensors"},
	{"cp.async.bulk.tensor", "cta_group::", "no machine here has pairs of blocks"},
	{"cp.async.bulk.prefetch.tensor", "im2col", "no machine here copies columns of images"},
	{"cp.async.bulk.prefetch.tensor", "im2col::", "no machine here copies columns of images"},
	{"cp.async.bulk.prefetch.tensor", "tile::", "no machine here gathers or scatters rows of tensors"},
	{"cp.reduce.async.bulk.tensor", "im2col_no_offs", "no machine here copies columns of images"},
	{"st", "async", "no machine here stores to other blocks of a cluster"},
	{"st", "bulk", "no machine here copies in bulk"},
	{"red", "async", "no machine here stores to other blocks of a cluster"},
	{"cvt", "rs", "no machine here rounds by random bits"},
	{"cvt", "ue8m0x2", "no machine here has numbers that are exponents alone"},
	{"mma", "sp", "no machine here multiplies sparse matrices"},
	{"mma", "sp::", "no machine here multiplies sparse matrices"},
	{"mma", "kind::", "no machine here multiplies scaled matrices, or of 6 or 4 bits"},
	{"ldmatrix", "m8n16", "no machine here moves matrices other than of 16 bits"},
	{"ldmatrix", "m16n16", "no machine here moves matrices other than of 16 bits"},
	{"stmatrix", "m16n8", "no machine here moves matrices other than of 16 bits"},
	{"tex", "2dms", "no texture here has several samples"},
	{"tex", "a2dms", "no texture here has several samples"},
};

static bool is_word(const struct name *name, const char *word)
{
	size_t length = strlen(word);
	bool begins = word[length - 1] == ':';
	return (begins ? name->length > length : name->length == length) && memcmp(name->text, word, length) == 0;
}

bool refused(struct parser *p, const struct name *opcode, struct diag_place place)
{
	for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
		const struct refusal *refusal = &refusals[k];
		const char *word = refusal->word;
		if (!is_word(opcode, refusal->opcode))
			continue;
		if (word && (p->token.kind != TOKEN_DOT || !is_word(p->token.name, word)))
			continue;
		fail(p, place, "'%s%s%.*s' is not supported: %s", refusal->opcode, word ? "." : "",
		     word ? (int)p->token.name->length : 0, word ? p->token.name->text : "", refusal->why);
		return true;
	}
	return false;
}
