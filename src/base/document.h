/* document: YAML documents with lists and nested mappings, into structs, by tables of keys.
 *
 * Machines are options (base/config_file.h); this is for the files that describe things: programs, experiments. Each
 * mapping has a table of its keys; an unknown key, a repeated one and a value of the wrong form are errors with their
 * place in the file.
 */
#ifndef SLUICE_BASE_DOCUMENT_H
#define SLUICE_BASE_DOCUMENT_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

/* A document being read. Fill in arena and source. */
struct document {
	struct arena *arena; /* keeps what is read */
	struct source source;
	struct diag diag;
	yaml_document_t yaml;
};

/* How the value of a key is read into `into`. */
struct document_key {
	const char *name; /* NULL ends a table */
	void (*read)(struct document *document, const char *key, const yaml_node_t *value, void *into);
	size_t offset; /* in the struct that the mapping is read into */
};

struct words {
	const char **word;
	size_t count;
};

/* Writes a word of a list with blanks between its words: in quotes where it is empty or has blanks or quotes. Different
 * lists have different texts. Returns the end. WORD_ROOM bytes are enough, with the NUL. */
char *word_put(char *end, const char *word);
#define WORD_ROOM(word) (3 * strlen(word) + 3)

bool words_have(const struct words *words, const char *word);

/* False, with an error, when the text is no YAML or holds nothing. yaml_document_delete() when true. */
bool document_load(struct document *document);

struct place document_place(const yaml_node_t *node);
const yaml_node_t *document_node(struct document *document, int number);
__attribute__((format(printf, 3, 4))) void document_error(struct document *document, const yaml_node_t *node,
                                                          const char *format, ...);

/* The text of a scalar, in the arena; NULL, with an error, when it is none or empty. */
const char *document_text(struct document *document, const char *key, const yaml_node_t *node);

/* The name of a pair's key; NULL, with an error, when it is none or the mapping has it already. */
const char *document_pair_key(struct document *document, const yaml_node_t *mapping, const yaml_node_pair_t *pair);

/* False, with an error, when it is none. */
bool document_is_mapping(struct document *document, const char *what, const yaml_node_t *node);

/* Reads each pair as its row of `keys` says. */
void document_read(struct document *document, const char *what, const yaml_node_t *mapping,
                   const struct document_key *keys, void *into);

/* Reads each NAME: {...} of a mapping into the next element of a new array, which it returns, or NULL: an element has `size` bytes, begins
 * with its name (const char *), has its struct place at `place`, and is `blank` before. */
void *document_read_named(struct document *document, const char *key, const yaml_node_t *value,
                          const struct document_key *keys, const void *blank, size_t size, size_t place, size_t *count);

/* For rows of a table: into a const char *, a uint64_t, a double that is not negative, a bool, and into a struct words: one word or a list of them, of
 * different ones with document_read_words(). */
void document_read_text(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_number(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_real(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_bool(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_list(struct document *document, const char *key, const yaml_node_t *value, void *into);
/* A list of a program's arguments: a word in quotes may be empty. */
void document_read_arguments(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_words(struct document *document, const char *key, const yaml_node_t *value, void *into);

#endif
