#include "cli/launch_plan/tensor.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/mix.h"
#include "cli/commands.h"
#include "cli/launch_plan/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)TENSOR_DIMENSIONS == (int)NPY_DIMENSIONS, "a tensor has the dimensions of its file");

uint64_t tensor_bytes(const struct tensor *tensor)
{
	return tensor->count * element_types[tensor->type].bytes;
}

#define tensor_error(plan, tensor, key, ...) launch_plan_error(plan, &(tensor)->keys, key, (tensor)->place, __VA_ARGS__)

/* Returns the type of a file's elements. ELEMENT_COUNT: none of ours. */
static enum element type_in_file(const struct npy *npy)
{
	if (npy->type[1] == 'b' && npy->element_bytes == 1)
		return ELEMENT_U8; /* NumPy's bool */
	enum element type = 0;
	while (type < ELEMENT_COUNT && strcmp(element_types[type].npy + 1, npy->type + 1) != 0)
		type++;
	return type;
}

/* Copies the file's elements into a tensor of type `wanted`. Floats are converted to other floats. Other elements of
 * equal size keep their bits, so that bf16 can be stored as u16. Returns NULL when neither applies. */
static void *convert(const struct npy *npy, enum element wanted)
{
	enum element type = type_in_file(npy);
	uint32_t bytes = element_types[wanted].bytes;
	bool floats = type < ELEMENT_COUNT && element_types[type].is_float && element_types[wanted].is_float;
	if (!floats && npy->element_bytes != bytes)
		return NULL;
	void *data = base_calloc(npy->count + 1, bytes);
	if (!floats || type == wanted)
		memcpy(data, npy->data, npy->count * bytes);
	else
		for (uint64_t i = 0; i < npy->count; i++)
			element_set(wanted, data, i, element_get(type, npy->data, i));
	return data;
}

/* Reads a file's elements with the type `wanted`; ELEMENT_COUNT: the file's. Returns false after a message about
 * `key`. The caller frees npy->file and *data. */
static bool read_file(struct launch_plan *plan, const struct plan_tensor *planned, const char *key, const char *file,
                      enum element *wanted, struct npy *npy, void **data)
{
	char message[160];
	if (!npy_read(launch_plan_path(plan, file), npy, message))
		return tensor_error(plan, planned, key, "%s: cannot read %s: %s", key, file, message);
	if (*wanted == ELEMENT_COUNT)
		*wanted = type_in_file(npy);
	*data = *wanted < ELEMENT_COUNT && npy->count ? convert(npy, *wanted) : NULL;
	if (*data)
		return true;
	if (!npy->count)
		tensor_error(plan, planned, key, "%s: %s has no elements", key, file);
	else if (*wanted == ELEMENT_COUNT)
		tensor_error(plan, planned, key, "%s: %s has elements of type '%s', which have no type here", key, file,
		             npy->type);
	else
		tensor_error(plan, planned, key, "%s: %s has elements of type '%s', which do not become %s", key, file,
		             npy->type, element_types[*wanted].name);
	free(npy->file);
	return false;
}

static bool read_shape(struct launch_plan *plan, const struct plan_tensor *planned, struct tensor *tensor)
{
	tensor->count = 1;
	bool fine = planned->shape.count <= TENSOR_DIMENSIONS;
	for (size_t i = 0; fine && i < planned->shape.count; i++) {
		uint64_t *size = &tensor->shape[tensor->dimensions++];
		fine = element_parse(ELEMENT_U64, planned->shape.word[i], size) && *size &&
		       !__builtin_mul_overflow(tensor->count, *size, &tensor->count) && tensor->count <= SIZE_MAX / 16;
	}
	return fine || tensor_error(plan, planned, "shape", "shape: expected a list of up to %d numbers from 1 on",
	                            (int)TENSOR_DIMENSIONS);
}

/* Random floats lie in [-1, 1), random integers in 0 to 99. */
static double random_value(enum element type, uint64_t *state)
{
	uint64_t bits = mix64(*state += 0x9e3779b97f4a7c15u); /* SplitMix64: the same numbers on every computer */
	return element_types[type].is_float ? (double)(bits >> 11) * 0x1p-52 - 1 : (double)(bits % 100);
}

static bool fill(struct launch_plan *plan, const struct plan_tensor *planned, struct tensor *tensor)
{
	const char *how = planned->fill ? planned->fill : "0";
	uint32_t bytes = element_types[tensor->type].bytes;
	bool is_random = strcmp(how, "random") == 0, is_index = strcmp(how, "index") == 0;
	uint64_t state = planned->seed, one = 0;
	if (!is_random && !is_index && !element_parse(tensor->type, how, &one))
		return tensor_error(plan, planned, "fill", "fill: expected random, index or a number of type %s",
		                    element_types[tensor->type].name);
	tensor->data = base_calloc(tensor->count, bytes);
	for (uint64_t i = 0; i < tensor->count; i++)
		if (is_random)
			element_set(tensor->type, tensor->data, i, random_value(tensor->type, &state));
		else if (is_index)
			element_set(tensor->type, tensor->data, i, (double)i);
		else
			memcpy((char *)tensor->data + i * bytes, &one, bytes);
	return true;
}

static bool make_from_file(struct launch_plan *plan, const struct plan_tensor *planned, struct tensor *tensor)
{
	struct npy npy;
	if (planned->fill || planned->shape.count)
		return tensor_error(plan, planned, planned->fill ? "fill" : "shape",
		                    "%s: the file has the shape and the values", planned->fill ? "fill" : "shape");
	if (!read_file(plan, planned, "file", planned->file, &tensor->type, &npy, &tensor->data))
		return false;
	tensor->dimensions = npy.dimensions;
	tensor->count = npy.count;
	memcpy(tensor->shape, npy.shape, sizeof tensor->shape);
	free(npy.file);
	return true;
}

bool tensor_make(struct launch_plan *plan, const struct plan_tensor *planned, struct tensor *tensor)
{
	*tensor = (struct tensor){.plan = planned, .type = ELEMENT_COUNT};
	if (planned->type && (tensor->type = element_named(planned->type)) == ELEMENT_COUNT)
		return tensor_error(plan, planned, "type",
		                    "type: there is no '%s'; types are i8 to i64, u8 to u64, f16, bf16, f32 and f64",
		                    planned->type);
	if (planned->file)
		return make_from_file(plan, planned, tensor);
	if (!planned->type || !planned->shape.count)
		return tensor_error(plan, planned, "shape", "%s: expected a file, or a type and a shape",
		                    planned->name);
	return read_shape(plan, planned, tensor) && fill(plan, planned, tensor);
}

/* Writes bf16 as float32, which NumPy has and which holds every value. */
static bool write(struct launch_plan *plan, const struct tensor *tensor)
{
	bool widens = tensor->type == ELEMENT_BF16;
	enum element type = widens ? ELEMENT_F32 : tensor->type;
	void *data = tensor->data;
	if (widens) {
		data = base_calloc(tensor->count, element_types[type].bytes);
		for (uint64_t i = 0; i < tensor->count; i++)
			element_set(type, data, i, element_get(tensor->type, tensor->data, i));
	}
	struct npy npy = {.element_bytes = element_types[type].bytes,
	                  .dimensions = tensor->dimensions,
	                  .count = tensor->count,
	                  .data = data};
	memcpy(npy.type, element_types[type].npy, sizeof element_types[type].npy);
	memcpy(npy.shape, tensor->shape, sizeof npy.shape);
	const char *path = launch_plan_path(plan, tensor->plan->write);
	bool fine = npy_write(path, &npy);
	if (!fine)
		cli_error("sluice run", "cannot write %s: %s", path, file_write_reason());
	if (widens)
		free(data);
	return fine;
}

/* Returns true for values within the tolerances; two values that are not numbers are equal. */
static bool is_near(double ours, double expected, double relative, double absolute)
{
	if (isnan(ours) || isnan(expected))
		return isnan(ours) && isnan(expected);
	return ours == expected || fabs(ours - expected) <= absolute + relative * fabs(expected);
}

/* Compares element by element, and prints a verdict. */
static bool compare(const struct tensor *tensor, const void *expected)
{
	const struct element_type *type = &element_types[tensor->type];
	double relative = isnan(tensor->plan->relative) ? type->relative : tensor->plan->relative;
	double absolute = isnan(tensor->plan->absolute) ? type->absolute : tensor->plan->absolute;
	bool exact = relative == 0 && absolute == 0 && !type->is_float;
	uint64_t wrong = 0, first = 0;
	double largest = 0;
	for (uint64_t i = 0; i < tensor->count; i++) {
		double ours = element_get(tensor->type, tensor->data, i),
		       theirs = element_get(tensor->type, expected, i);
		size_t at = i * type->bytes;
		bool fine = exact ? memcmp((char *)tensor->data + at, (const char *)expected + at, type->bytes) == 0
		                  : is_near(ours, theirs, relative, absolute);
		if (!fine && wrong++ == 0)
			first = i;
		if (fabs(ours - theirs) > largest)
			largest = fabs(ours - theirs);
	}
	if (wrong)
		printf("%s: FAIL, %" PRIu64 " of %" PRIu64 " elements differ; the first is element %" PRIu64
		       ": %.9g, expected %.9g\n",
		       tensor->plan->name, wrong, tensor->count, first, element_get(tensor->type, tensor->data, first),
		       element_get(tensor->type, expected, first));
	else
		printf("%s: PASS, %" PRIu64 " elements, largest difference %.3g\n", tensor->plan->name, tensor->count,
		       largest);
	return !wrong;
}

static bool check(struct launch_plan *plan, const struct tensor *tensor)
{
	struct npy npy;
	void *expected;
	enum element type = tensor->type;
	const struct plan_tensor *planned = tensor->plan;
	if (!read_file(plan, planned, "expect", planned->expect, &type, &npy, &expected))
		return false;
	bool fine = npy.count == tensor->count;
	if (fine)
		fine = compare(tensor, expected);
	else
		tensor_error(plan, planned, "expect", "expect: %s has %" PRIu64 " elements, the tensor has %" PRIu64,
		             planned->expect, npy.count, tensor->count);
	free(npy.file);
	free(expected);
	return fine;
}

bool tensor_finish(struct launch_plan *plan, const struct tensor *tensor)
{
	bool written = !tensor->plan->write || write(plan, tensor);
	return (!tensor->plan->expect || check(plan, tensor)) && written;
}
