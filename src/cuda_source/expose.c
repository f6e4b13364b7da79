/* expose: finds variables that may be changed in other ways than by name. */
#include "cuda_source/tree.h"

#include <string.h>

void tree_expose(const struct node *node)
{
	const struct node *const *children = (const struct node *const *)node->children;
	switch (node->kind) {
	case NODE_VARIABLE:
		node->decl->exposed = true;
		break;
	case NODE_SUBSCRIPT:
	case NODE_MEMBER:
		if (children[0]->type.kind != TYPE_POINTER)
			tree_expose(children[0]);
		break;
	case NODE_UNARY:
		if (strcmp(node->op, "*") != 0)
			tree_expose(children[0]);
		break;
	case NODE_CAST:
	case NODE_ASSIGN:
		tree_expose(children[0]);
		break;
	case NODE_BINARY:
		if (strcmp(node->op, ",") == 0)
			tree_expose(children[1]);
		break;
	default:
		for (uint32_t i = 0; i < node->count; i++)
			tree_expose(children[i]);
	}
}

/* Returns true when assignments to it are followed: a variable, or a member that is named directly. */
static bool is_plain(const struct node *node)
{
	while (node->kind == NODE_MEMBER || (node->kind == NODE_CAST && !node->op[0])) {
		const struct node *inner = node->children[0];
		bool base = node->type.kind == TYPE_RECORD && inner->type.kind == TYPE_RECORD &&
		            node->kind == NODE_CAST && strcmp(node->type.name, inner->type.name) != 0;
		if (base)
			return false;
		node = inner;
	}
	bool pointer = node->kind == NODE_UNARY && strcmp(node->op, "*") == 0;
	return node->kind == NODE_VARIABLE || node->kind == NODE_SUBSCRIPT || pointer;
}

void tree_expose_operand(const struct node *node)
{
	const struct node *target = node->count ? node->children[0] : NULL;
	bool changes = node->kind == NODE_ASSIGN || strcmp(node->op, "++") == 0 || strcmp(node->op, "--") == 0 ||
	               node->op[0] == 'p';
	if (strcmp(node->op, "&") == 0 && node->kind == NODE_UNARY)
		tree_expose(target);
	else if (target && changes && !is_plain(target))
		tree_expose(target);
}
