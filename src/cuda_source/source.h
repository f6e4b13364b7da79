/* source: the analyzer of CUDA C++ source: which array indexes of a kernel can be calculated before it runs. That of PTX is
 * flow/affine.h.
 *
 * One kernel at a time, three phases: its pointer parameters are its arrays; the reads of them in its body, and in the
 * device functions that it calls, are its indexes; each index gets a status. Two verdicts stand side by side: a
 * strict one, and a relaxed one, where an induction variable counts when its loop's bounds are known at launch. Loads only are indexes; an atomic is not a load. A compound assignment is a load and a store.
 *
 * The compiler's preprocessor runs first, so that macros are gone; libclang reads its output. The kernel's body is then
 * run on symbols: each variable holds a polynomial over thread and block indexes and launch constants, or the reason
 * why it has none. Conditions are not used to narrow values: what comes out covers every read that can happen.
 *
 * A number that wraps around, as threadIdx.x - 5u does in the first threads, is not what its polynomial says. Whether
 * one does is known at launch: then source_rows() has no rows. Types narrower than an int wrap around soon, so that
 * what is kept in one counts as an operator's result. A variable that a pointer or a reference may change which is
 * not followed counts as loaded.
 *
 * Not followed: values kept in local or shared arrays (they count as loaded), pointers kept in memory or in structures
 * that are not arguments (reads through them are not listed), members of an object inside of
 * its own functions, and functions without a body in the file.
 */
#ifndef SLUICE_CUDA_SOURCE_SOURCE_H
#define SLUICE_CUDA_SOURCE_SOURCE_H

#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum source_status {
	SOURCE_STATIC,
	SOURCE_QUASI_STATIC,
	/* not precalculable, with the cause; where an index has several, the first of this list */
	SOURCE_OPERATOR,
	SOURCE_INDIRECT,
	SOURCE_CONTROL,
	SOURCE_INDUCTION,
	SOURCE_STATUSES,
};

enum source_symbol_kind {
	SOURCE_BLOCK_IDX,
	SOURCE_THREAD_IDX,
	SOURCE_LOOP,     /* number of iterations of a loop done so far: 0, 1, ... */
	SOURCE_GRID_DIM, /* from here on: known at launch */
	SOURCE_BLOCK_DIM,
	SOURCE_ARGUMENT, /* scalar argument, or member of a structure argument ("chip.width") */
	SOURCE_TEMPLATE, /* template argument, or "sizeof(T)" */
};

struct source_symbol {
	enum source_symbol_kind kind;
	uint32_t axis;    /* 0, 1, 2 for x, y, z */
	const char *name; /* as written: "blockIdx.x", "width"; of a loop: its variable, or "trip(i)" */
	uint32_t number;  /* its place in the kernel's symbols */
};

/* coefficient times the product of the symbols */
struct source_term {
	int64_t coefficient;
	uint32_t count;
	const struct source_symbol *const *symbols;
};

struct source_array {
	const char *name;
	const char *element;  /* type of the elements */
	int64_t element_size; /* bytes; 0 where a template argument decides */
};

struct source_index {
	uint32_t array; /* which of the kernel's arrays */
	const char *file;
	uint32_t line, column;
	const char *text;     /* the index as the source has it, macros expanded */
	const char *expanded; /* in thread and block indexes and launch constants; NULL where it cannot be */
	enum source_status status, relaxed;
	bool affine;      /* precalculable in the relaxed sense, and of degree one in block indexes */
	const char *type; /* what is read */
	int64_t size;     /* bytes read; 0 where a template argument decides */
	/* Distance in bytes from the array's start, where the relaxed verdict is static or quasi-static; else none. */
	const struct source_term *terms;
	uint32_t term_count;
	const struct claim *claims; /* what source_rows() looks at: that no number wraps around */
};

struct source_kernel {
	const char *name, *file;
	uint32_t line;                  /* of its name */
	uint32_t body_first, body_last; /* lines of the body's braces */
	const char *const *parameters;  /* their names, in their order */
	uint32_t parameter_count;
	const struct source_array *arrays;
	uint32_t array_count;
	const struct source_index *indexes;
	uint32_t index_count;
	const struct source_loops *loops; /* bounds of loop symbols, for source_rows() */
};

struct source_module {
	const char *file;
	const struct source_kernel *kernels;
	uint32_t kernel_count;
};

struct source_options {
	const char *toolkit;      /* folder of our CUDA headers (its include/ has cuda_runtime.h) */
	const char *compiler;     /* NULL: clang++-14 */
	const char *const *flags; /* more flags for the compiler (-I, -D), NULL-terminated; or NULL */
};

/* Reads and analyzes a file. NULL, with the reasons in diag, when it cannot be read or does not compile. */
struct source_module *source_analyze(const char *file, const struct source_options *options, struct diag *diag);
void source_free(struct source_module *module);

/* "static", "quasi-static", "operator", "indirect", "control", "induction" */
const char *source_status_name(enum source_status status);

/* Static and quasi-static. */
bool source_precalculable(enum source_status status);

/* What is known when a kernel is launched. */
struct source_launch {
	int64_t grid[3], block[3];
	int64_t gap; /* bytes between ranges that are joined */
	/* Value of an argument, or of a template argument, by its name; one of 32 bits that means a negative number is
	 * given as that. */
	bool (*argument)(void *context, const char *name, int64_t *value);
	void *context;
};

/* Bytes [least + sum, most + sum) of the array, with sum = stride[0] * blockIdx.x + stride[1] * blockIdx.y + ... */
struct source_row {
	int64_t stride[3], least, most;
};

/* Rows that cover all that a block reads through an index: one for each value of the slower thread indexes and loops,
 * where their ranges are more than launch->gap bytes apart. Writes up to `capacity`; *count is how many there are. Not
 * clipped to the array. False when the index is not precalculable in the relaxed sense, not affine, or a value is
 * missing, or when a number may wrap around its type in some thread, so that the index is not what the terms say. */
bool source_rows(const struct source_kernel *kernel, const struct source_index *index,
                 const struct source_launch *launch, struct source_row *rows, uint32_t capacity, uint32_t *count);

/* How many indexes have which status. */
struct source_counts {
	uint32_t kernels, arrays, indexes;
	uint32_t strict[SOURCE_STATUSES], relaxed[SOURCE_STATUSES];
};
void source_count(const struct source_kernel *kernel, struct source_counts *counts); /* adds */

enum source_format {
	SOURCE_TABLE, /* one row an index, then the counts */
	SOURCE_TEXT,  /* the source, each read with its status, cause and stride below its line */
	SOURCE_HTML,
};

/* Analyzes a file and prints it. False, with the reasons in diag, when it does not compile. */
bool source_print(const char *file, const struct source_options *options, enum source_format format, FILE *out,
                  struct diag *diag);
void source_print_table(const struct source_module *module, FILE *out);

/* The source with its reads; SOURCE_TEXT or SOURCE_HTML. False when the file cannot be read again. */
bool source_annotate(const struct source_module *module, enum source_format format, FILE *out, struct diag *diag);

/* Development effort: lines between the braces of the kernel's body that hold code. Empty lines, comments and
 * lines of braces alone do not count; device functions that the kernel calls do not either. False when the file cannot
 * be read. */
bool source_effort(const struct source_kernel *kernel, uint32_t *lines, struct diag *diag);

#endif
