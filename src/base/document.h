/* document: reads YAML documents with lists and nested mappings into structs, by tables of keys.
 *
 * Machines are sets of options (base/config_file.h). This module reads descriptive files: programs and experiments.
 * Each mapping has a table of its keys. An unknown key, a repeated key and a value of the wrong form are errors with
 * their location in the file.
 */
#ifndef SLUICE_BASE_DOCUMENT_H
#define SLUICE_BASE_DOCUMENT_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

/* A document being read. The caller fills in arena and source. */
struct document {
	struct arena *arena; /* holds the results */
	struct diag_source source;
	struct diag diag;
	yaml_document_t yaml;
};

/* The keys of a mapping that was read, with the places of their values. */
struct document_keys {
	struct document_key_place {
		const char *name;
		struct diag_place place;
	} *list;
	size_t count;
};

/* How the value of a key is read into `into`. */
struct document_key {
	const char *name; /* NULL ends a table; with a NULL `read`, the struct has its struct document_keys there */
	void (*read)(struct document *document, const char *key, const yaml_node_t *value, void *into);
	size_t offset; /* in the struct that the mapping is read into */
};

struct words {
	const char **word;
	size_t count;
};

/* Writes a word of a blank-separated list at `end`, with a NUL. The word is quoted if it is empty or contains blanks or
 * quotes. Different lists have different texts. Writes at most WORD_ROOM bytes. Returns the address of the NUL. */
char *word_put(char *end, const char *word);
#define WORD_ROOM(word) (3 * strlen(word) + 3)

bool words_have(const struct words *words, const char *word);

/* False, with an error, when the text is not YAML or is empty. After true, the caller must call
 * yaml_document_delete(). */
bool document_load(struct document *document);

struct diag_place document_place(const yaml_node_t *node);
/* The place of a key's value; `otherwise` if the mapping did not have the key. */
struct diag_place document_place_of(const struct document_keys *keys, const char *name, struct diag_place otherwise);
const yaml_node_t *document_node(struct document *document, int number);
__attribute__((format(printf, 3, 4))) void document_error(struct document *document, const yaml_node_t *node,
                                                          const char *format, ...);

/* The text of a scalar, in the arena; NULL, with an error, when the node is not a scalar or is empty. */
const char *document_text(struct document *document, const char *key, const yaml_node_t *node);

/* The name of a pair's key; NULL, with an error, when it is not a name or is repeated in the mapping. */
const char *document_pair_key(struct document *document, const yaml_node_t *mapping, const yaml_node_pair_t *pair);

/* False, with an error, when the node is not a mapping. */
bool document_is_mapping(struct document *document, const char *what, const yaml_node_t *node);

/* Reads each pair according to its row of `keys`. */
void document_read(struct document *document, const char *what, const yaml_node_t *mapping,
                   const struct document_key *keys, void *into);

/* Reads each NAME: {...} of a mapping into the next element of a new array. Returns the array, or NULL. An element
 * has `size` bytes, begins with its name (const char *), and has its struct diag_place at offset `place`. `blank` is
 * its initial content. */
void *document_read_named(struct document *document, const char *key, const yaml_node_t *value,
                          const struct document_key *keys, const void *blank, size_t size, size_t place, size_t *count);

/* Readers for table rows: into a const char *, a uint64_t, a non-negative double, a bool, and a struct words. A
 * struct words takes one word or a list; document_read_words() requires different words. */
void document_read_text(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_number(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_real(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_bool(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_list(struct document *document, const char *key, const yaml_node_t *value, void *into);
/* Reads a list of a program's arguments: a quoted word may be empty. */
void document_read_arguments(struct document *document, const char *key, const yaml_node_t *value, void *into);
void document_read_words(struct document *document, const char *key, const yaml_node_t *value, void *into);

#endif
