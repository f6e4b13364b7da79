/* analyze: declarations shared by the files of `sluice analyze`. Both forms of the analyzer (source and PTX) fill in
 * the same kind of listing. */
#ifndef SLUICE_CLI_ANALYZE_H
#define SLUICE_CLI_ANALYZE_H

#include "base/arena.h"
#include "flow/affine.h"
#include "cuda_source/source.h"

#include <jansson.h>

enum analyze_form { ANALYZE_SOURCE = 1, ANALYZE_PTX = 2, ANALYZE_BOTH = 3 };

/* The command's request. */
struct analyze {
	const char *name; /* "sluice analyze" */
	const char *file, *kernel;
	unsigned forms; /* set of enum analyze_form; 0: all forms that the file has */
	bool is_source; /* the file is CUDA source */
	const char **flags; /* -I and -D for the compiler, NULL-terminated */
	size_t flag_count;
	const char **arg; /* NAME=VALUE */
	size_t args;
	bool *used; /* by arg: at least one kernel has a parameter of that name */
	bool json, launched;
	struct affine_launch launch; /* grid and block only, without arguments */
	struct arena arena;
};

/* A global load in PTX, or a read in the source. */
struct index {
	const char *array; /* "?": unknown */
	bool is_member;    /* source form: the read is smaller than an element of the array */
	bool is_variable;  /* PTX form: the array is a variable of the module, not a parameter */
	const char *file;  /* NULL: unknown */
	uint32_t line, ptx_line; /* 0: none */
	const char *expression;
	/* source form: the index in terms of block and thread indexes and launch constants; NULL: none */
	const char *expanded;
	enum affine_status status, relaxed;
	uint32_t bytes; /* read by each thread */
	int64_t unit, last; /* size in bytes of the array's elements; offset of the last byte read */
	struct affine_rows rows;
	struct affine_rows all_rows; /* PTX form: the rows if no branch excluded threads from the load */
	bool lacks_argument; /* there are no rows because an argument was not given */
};

/* One form of a kernel. */
struct listing {
	const char *name; /* source form: as written; PTX form: mangled */
	const char *file; /* source form */
	uint32_t line;
	bool is_source;
	bool calls; /* PTX form: it calls functions whose loads are not listed */
	uint32_t arrays;
	struct index *index;
	uint32_t indexes;
	struct affine_rows together; /* PTX form: the union of all loads' rows */
	const struct source_kernel *source;
	const struct ptx_function *function;
};

struct listings {
	struct listing **list;
	uint32_t count;
};

/* True when the command-line argument NAME=VALUE has this name. */
bool analyze_is_named(const char *arg, const char *name);
/* Returns a kernel's C++ name without namespaces, template arguments and parameters. */
const char *analyze_plain_name(struct arena *arena, const char *mangled);

/* Lists the requested kernels of a source file. */
void analyze_read_source(struct analyze *analyze, const struct source_module *module, struct listings *to);
/* Lists the requested kernels of a PTX module. `sources` provides the parameters' names, and may be empty. Returns
 * false after a message. */
bool analyze_read_ptx(struct analyze *analyze, const struct ptx_module *module, const struct listings *sources,
                      struct listings *to);
/* Returns the source kernel that was compiled to this function, or NULL. */
const struct listing *analyze_find_source(struct arena *arena, const struct listings *sources,
                                          const struct ptx_function *function);

/* A difference between the two forms. */
struct difference {
	bool explained; /* caused by the compiler, so no disagreement */
	const char *array;
	uint32_t line;
	const char *text;
	struct difference *next;
};
/* Returns the differences of the two forms, sorted by line; NULL: none. Rows are compared only if a launch was
 * given. */
struct difference *analyze_compare(struct analyze *analyze, const struct listing *source, const struct listing *ptx);

/* Print a kernel's indexes, and its differences. */
void analyze_print_listing(const struct analyze *analyze, const struct listing *listing);
void analyze_print_differences(const struct listing *ptx, const struct difference *differences);
/* Prints sums over all listings, when there are any. */
void analyze_print_total(const char *title, const struct listings *listings);

json_t *analyze_listing_json(const struct listing *listing);
/* Adds the differences to the kernel's "disagreements" and "explained". */
void analyze_differences_json(json_t *kernel, const struct listing *ptx, const struct difference *differences);

#endif
