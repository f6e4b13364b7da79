/* elements: the types of a tensor's elements, and the conversion of single elements. */
#ifndef SLUICE_CLI_LAUNCH_PLAN_ELEMENTS_H
#define SLUICE_CLI_LAUNCH_PLAN_ELEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element {
	ELEMENT_I8,
	ELEMENT_I16,
	ELEMENT_I32,
	ELEMENT_I64,
	ELEMENT_U8,
	ELEMENT_U16,
	ELEMENT_U32,
	ELEMENT_U64,
	ELEMENT_F16,
	ELEMENT_BF16,
	ELEMENT_F32,
	ELEMENT_F64,
	ELEMENT_COUNT
};

struct element_type {
	const char *name; /* in a plan: "f32" */
	char npy[4];      /* in a NumPy file, little-endian: "<f4" */
	uint32_t bytes;
	bool is_float;
	double relative, absolute; /* default tolerances, those of PyTorch's torch.testing.assert_close */
};

extern const struct element_type element_types[ELEMENT_COUNT];

/* Returns the type of that name, or ELEMENT_COUNT. */
enum element element_named(const char *name);

/* Reads element `index`. A 64-bit integer loses the bits that a double does not have. */
double element_get(enum element type, const void *data, size_t index);
/* Writes element `index`, rounded to the nearest value of the type. For an integer type, `value` must be in range. */
void element_set(enum element type, void *data, size_t index, double value);

/* Reads a number as YAML has it into one element; "0x..." is an integer. Returns false if the text is not a number of
 * that type, or is out of range. */
bool element_parse(enum element type, const char *text, void *element);

#endif
