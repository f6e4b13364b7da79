/* source: the analyzer of CUDA C++ source. It finds array indexes of a kernel that can be calculated before it
 * runs. flow/affine.h is the analyzer of PTX.
 *
 * Each kernel has three phases. Its pointer parameters are its arrays. The reads of them, in its body and in the
 * device functions that it calls, are its indexes. Each index gets a status. There are two verdicts. The strict one
 * accepts no induction variables. The relaxed one accepts an induction variable if its loop's bounds are known at
 * launch. Only loads are indexes; an atomic is not a load. A compound assignment is a load and a store.
 *
 * The compiler's preprocessor runs first to expand macros, and libclang parses its output. The kernel's body is
 * then run on symbols. Each variable holds a polynomial over thread and block indexes and launch constants, or the
 * reason why it has none. Conditions do not narrow values, so the result covers every possible read.
 *
 * A number that wraps around, such as threadIdx.x - 5u in the first threads, differs from its polynomial. Whether
 * that happens is known at launch; source_rows() then returns no rows. Types narrower than int wrap around soon, so
 * a value stored in one counts as an operator's result. A variable that an untracked pointer or reference may
 * change counts as loaded.
 *
 * Not followed: values in local or shared arrays, which count as loaded; pointers in memory or in structures that
 * are not arguments, whose reads are not listed; members of an object inside its own functions; functions without a
 * body in the file.
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
	/* not precalculable, by cause; of several causes the first in this list applies */
	SOURCE_OPERATOR,
	SOURCE_INDIRECT,
	SOURCE_CONTROL,
	SOURCE_INDUCTION,
	SOURCE_STATUSES,
};

enum source_symbol_kind {
	SOURCE_BLOCK_IDX,
	SOURCE_THREAD_IDX,
	SOURCE_LOOP,     /* number of completed iterations of a loop: 0, 1, ... */
	SOURCE_GRID_DIM, /* this and all below: known at launch */
	SOURCE_BLOCK_DIM,
	SOURCE_ARGUMENT, /* scalar argument, or member of a structure argument ("chip.width") */
	SOURCE_TEMPLATE, /* template argument, or "sizeof(T)" */
};

struct source_symbol {
	enum source_symbol_kind kind;
	uint32_t axis;    /* 0, 1, 2 for x, y, z */
	const char *name; /* as written: "blockIdx.x", "width"; for a loop: its variable, or "trip(i)" */
	uint32_t number;  /* its index among the kernel's symbols */
};

/* Coefficient times the product of the symbols. */
struct source_term {
	int64_t coefficient;
	uint32_t count;
	const struct source_symbol *const *symbols;
};

struct source_array {
	const char *name;
	const char *element;  /* type of the elements */
	int64_t element_size; /* bytes; 0 if it depends on a template argument */
};

struct source_index {
	uint32_t array; /* index of the array in the kernel's list */
	const char *file;
	uint32_t line, column;
	const char *text;     /* the index in the source, macros expanded */
	const char *expanded; /* in thread and block indexes and launch constants; NULL if impossible */
	enum source_status status, relaxed;
	bool affine;      /* precalculable by the relaxed verdict, and of degree one in block indexes */
	const char *type; /* type of the value read */
	int64_t size;     /* bytes read; 0 if it depends on a template argument */
	/* Distance in bytes from the array's start if the relaxed verdict is static or quasi-static; otherwise
	 * empty. */
	const struct source_term *terms;
	uint32_t term_count;
	const struct claim *claims; /* conditions without wrap-around, which source_rows() checks */
};

struct source_kernel {
	const char *name, *file;
	uint32_t line;                  /* line of its name */
	uint32_t body_first, body_last; /* lines of the body's braces */
	const char *const *parameters;  /* names, in order */
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
	const char *toolkit;      /* folder of Sluice's CUDA headers (its include/ has cuda_runtime.h) */
	const char *compiler;     /* NULL: clang++-14 */
	const char *const *flags; /* further flags for the compiler (-I, -D), NULL-terminated; or NULL */
};

/* Reads and analyzes a file. Returns NULL, with the reasons in diag, when it cannot be read or does not compile. */
struct source_module *source_analyze(const char *file, const struct source_options *options, struct diag *diag);
void source_free(struct source_module *module);

/* "static", "quasi-static", "operator", "indirect", "control", "induction" */
const char *source_status_name(enum source_status status);

/* Returns true for static and quasi-static. */
bool source_precalculable(enum source_status status);

/* Values that are known when a kernel is launched. */
struct source_launch {
	int64_t grid[3], block[3];
	int64_t gap; /* largest gap in bytes between ranges that are joined */
	/* Returns the value of an argument, or of a template argument, by its name. A negative 32-bit value is
	 * returned as a negative number. */
	bool (*argument)(void *context, const char *name, int64_t *value);
	void *context;
};

/* Bytes [least + sum, most + sum) of the array, with sum = stride[0] * blockIdx.x + stride[1] * blockIdx.y + ... */
struct source_row {
	int64_t stride[3], least, most;
};

/* Computes rows that cover everything that a block reads through an index. There is one row per value of the slower
 * thread indexes and loops if their ranges are more than launch->gap bytes apart. Writes up to `capacity` rows;
 * *count is their total number. Rows are not clipped to the array. Returns false in four cases: the index is not
 * precalculable by the relaxed verdict, it is not affine, or a value is missing. The fourth is that a number may
 * wrap around its type in some thread, so that the terms do not describe the index. */
bool source_rows(const struct source_kernel *kernel, const struct source_index *index,
                 const struct source_launch *launch, struct source_row *rows, uint32_t capacity, uint32_t *count);

/* Number of indexes per status. */
struct source_counts {
	uint32_t kernels, arrays, indexes;
	uint32_t strict[SOURCE_STATUSES], relaxed[SOURCE_STATUSES];
};
void source_count(const struct source_kernel *kernel, struct source_counts *counts); /* adds to counts */

enum source_format {
	SOURCE_TABLE, /* one row per index, then the counts */
	SOURCE_TEXT,  /* the source; below each line with reads their status, cause and stride */
	SOURCE_HTML,
};

/* Analyzes a file and prints it. Returns false, with the reasons in diag, when it does not compile. */
bool source_print(const char *file, const struct source_options *options, enum source_format format, FILE *out,
                  struct diag *diag);

/* Prints the source with its reads, as SOURCE_TEXT or SOURCE_HTML. Returns false when the file cannot be read again. */
bool source_annotate(const struct source_module *module, enum source_format format, FILE *out, struct diag *diag);

/* Computes the development effort: lines with code between the braces of the kernel's body. Empty lines, comments
 * and lines with only braces do not count, nor do device functions that the kernel calls. Returns false when the
 * file cannot be read. */
bool source_effort(const struct source_kernel *kernel, uint32_t *lines, struct diag *diag);

#endif
