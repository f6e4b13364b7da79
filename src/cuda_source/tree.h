/* tree: interface between the files that read libclang's syntax tree. */
#ifndef SLUICE_CUDA_SOURCE_TREE_H
#define SLUICE_CUDA_SOURCE_TREE_H

#include "cuda_source/private.h"

#include <clang-c/Index.h>

struct known {
	CXCursor cursor;
	void *what; /* struct decl or struct function */
};

struct builder {
	struct tree *tree;
	CXTranslationUnit unit;
	const char *text;
	size_t length;
	struct known *decls, *functions;
	uint32_t decl_count, decl_capacity, function_count, function_capacity;
	bool returns_reference; /* of the function whose body is being read */
	bool in_template; /* constants may depend on template arguments: libclang must not evaluate them */
};

struct cursors {
	CXCursor *list;
	uint32_t count, capacity;
};

/* Returns the children of a cursor; the caller frees the list. */
struct cursors tree_children(CXCursor cursor);

char *tree_string(struct builder *builder, CXString string);

/* Returns where a cursor begins and ends in the preprocessed text. */
void tree_extent(CXCursor cursor, uint32_t *begin, uint32_t *end);

void tree_type(struct builder *builder, CXType of, struct type *type);
struct decl *tree_decl(struct builder *builder, CXCursor cursor);
struct function *tree_function(struct builder *builder, CXCursor definition);

struct node *tree_node(struct builder *builder, CXCursor cursor, enum node_kind kind);
void tree_adopt(struct builder *builder, struct node *parent, struct node *child);
/* Records that a pointer or a reference may change a variable, or the variable that an expression names, from now
 * on. */
void tree_expose(const struct node *node);
/* Exposes the variable that an operator changes or whose address it takes. */
void tree_expose_operand(const struct node *node);

struct node *tree_expression(struct builder *builder, CXCursor cursor);
struct node *tree_statement(struct builder *builder, CXCursor cursor);

#endif
