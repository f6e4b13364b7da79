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
	{"wgmma", NULL, "no simulated machine multiplies matrices by groups of warps"},
	{"tcgen05", NULL, "no simulated machine has tensor memory"},
	{"multimem", NULL, "no simulated address belongs to several devices"},
	{"tensormap", NULL, "no simulated machine changes tensor maps"},
	{"clusterlaunchcontrol", NULL, "no simulated machine launches clusters of blocks"},
	{"istypep", NULL, "an address does not show whether it belongs to a texture, a sampler or a surface"},
	{"cp.async.bulk", "cp_mask", "no simulated machine masks bytes of a bulk copy"},
	{"cp.reduce.async.bulk", "f16", "no simulated machine reduces numbers of 16 bits in bulk"},
	{"cp.reduce.async.bulk", "bf16", "no simulated machine reduces numbers of 16 bits in bulk"},
	{"cp.async.bulk.tensor", "im2col", "no simulated machine copies columns of images"},
	{"cp.async.bulk.tensor", "im2col::", "no simulated machine copies columns of images"},
	{"cp.async.bulk.tensor", "im2col_no_offs", "no simulated machine copies columns of images"},
	{"cp.async.bulk.tensor", "tile::", "no simulated machine gathers or scatters rows of tensors"},
	{"cp.async.bulk.tensor", "cta_group::", "no simulated machine has pairs of blocks"},
	{"cp.async.bulk.prefetch.tensor", "im2col", "no simulated machine copies columns of images"},
	{"cp.async.bulk.prefetch.tensor", "im2col::", "no simulated machine copies columns of images"},
	{"cp.async.bulk.prefetch.tensor", "tile::", "no simulated machine gathers or scatters rows of tensors"},
	{"cp.reduce.async.bulk.tensor", "im2col_no_offs", "no simulated machine copies columns of images"},
	{"st", "async", "no simulated machine stores to other blocks of a cluster"},
	{"st", "bulk", "no simulated machine stores in bulk"},
	{"red", "async", "no simulated machine stores to other blocks of a cluster"},
	{"cvt", "rs", "no simulated machine rounds by random bits"},
	{"cvt", "ue8m0x2", "no simulated machine has numbers of only an exponent"},
	{"mma", "sp", "no simulated machine multiplies sparse matrices"},
	{"mma", "sp::", "no simulated machine multiplies sparse matrices"},
	{"mma", "kind::", "no simulated machine multiplies scaled matrices, or matrices of 6 or 4 bits"},
	{"ldmatrix", "m8n16", "no simulated machine moves matrices of other sizes than 16 bits per element"},
	{"ldmatrix", "m16n16", "no simulated machine moves matrices of other sizes than 16 bits per element"},
	{"stmatrix", "m16n8", "no simulated machine moves matrices of other sizes than 16 bits per element"},
	{"tex", "2dms", "no simulated texture has several samples"},
	{"tex", "a2dms", "no simulated texture has several samples"},
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
