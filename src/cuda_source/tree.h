/* tree: what the files that read libclang's syntax tree share. */
#ifndef SLUICE_CUDA_SOURCE_TREE_H
#define SLUICE_CUDA_SOURCE_TREE_H

#include "cuda_source/inner.h"

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
	bool returns_reference; /* the function whose body is read */
	bool in_template; /* constants may depend on its arguments: libclang must not evaluate them */
};

struct cursors {
	CXCursor *list;
	uint32_t count, capacity;
};

/* The children of a cursor; free the list. */
struct cursors tree_children(CXCursor cursor);

char *tree_string(struct builder *builder, CXString string);

/* Where a cursor begins and ends in the preprocessed text. */
void tree_extent(CXCursor cursor, uint32_t *begin, uint32_t *end);

void tree_type(struct builder *builder, CXType of, struct type *type);
struct decl *tree_decl(struct builder *builder, CXCursor cursor);
struct function *tree_function(struct builder *builder, CXCursor definition);

struct node *tree_node(struct builder *builder, CXCursor cursor, enum node_kind kind);
void tree_adopt(struct builder *builder, struct node *parent, struct node *child);
/* A pointer or a reference to it, or to what it names, may change it from now on. */
void tree_expose(const struct node *node);
/* What an operator changes, or of which it takes the address. */
void tree_expose_operand(const struct node *node);

struct node *tree_expression(struct builder *builder, CXCursor cursor);
struct node *tree_statement(struct builder *builder, CXCursor cursor);

#endif
