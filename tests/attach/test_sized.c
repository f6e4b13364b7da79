/* Protects programs that were compiled with another header than the library's: structures with fewer or more members
 * than this library knows (include/sluice.h, "Growth"), and the version that both can ask for. */
#include "host_kit.h"

#include "attach/sized.h"

/* struct sluice_settings as a newer header may have it. */
struct newer_settings {
	struct sluice_settings known;
	uint64_t feature;
};

static void fails(const void *settings, const char *text)
{
	struct sluice_error error;
	sluice_gpu *gpu;
	assert_int_equal(sluice_open(&gpu, settings, &error), SLUICE_BAD_ARGUMENT);
	assert_null(gpu);
	assert_non_null(strstr(error.message, text));
}

static void opens(const void *settings)
{
	struct sluice_error error;
	sluice_gpu *gpu;
	host_must(sluice_open(&gpu, settings, &error), &error);
	sluice_close(gpu);
}

/* An older header's settings end earlier: the memory after them is not read. */
static void older_settings_count_as_zero_after_their_end(void **state)
{
	(void)state;
	struct sluice_settings settings;
	memset(&settings, 0xff, sizeof settings);
	settings.size = offsetof(struct sluice_settings, threads);
	settings.machine = "gtx480";
	settings.options = settings.mechanisms = NULL;
	settings.functional = true;
	opens(&settings);
}

static void newer_settings_are_taken_while_unused(void **state)
{
	(void)state;
	struct newer_settings settings = {.known = {.size = sizeof settings, .functional = true}};
	opens(&settings);
	settings.feature = 1;
	fails(&settings, "needs a newer library");
}

static void settings_without_size_are_refused(void **state)
{
	(void)state;
	const struct sluice_settings settings = {.machine = "gtx480"};
	fails(&settings, "SLUICE_SIZED(settings)");
	opens(NULL);
}

/* The library writes no byte of a result after the size that the program knows. */
static void results_end_where_the_program_ends(void **state)
{
	(void)state;
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .functional = true};
	struct sluice_machine_info info, whole = {SLUICE_SIZED(machine_info)};
	struct sluice_error error;
	sluice_gpu *gpu;
	host_must(sluice_open(&gpu, &settings, &error), &error);
	memset(&info, 0x5a, sizeof info);
	info.size = offsetof(struct sluice_machine_info, warp_size);
	assert_true(sluice_machine_info(gpu, &info) && sluice_machine_info(gpu, &whole));
	assert_int_equal(info.sm_count, 15);
	assert_int_equal(info.warp_size, 0x5a5a5a5a);
	assert_int_equal(whole.warp_size, 32);
	info.size = 0;
	assert_false(sluice_machine_info(gpu, &info));
	sluice_close(gpu);
}

/* Every structure that can grow begins with its size. */
static void sizes_come_first(void **state)
{
	(void)state;
	assert_int_equal(offsetof(struct sluice_settings, size), 0);
	assert_int_equal(offsetof(struct sluice_rewriting, size), 0);
	assert_int_equal(offsetof(struct sluice_kernel_info, size), 0);
	assert_int_equal(offsetof(struct sluice_occupancy, size), 0);
	assert_int_equal(offsetof(struct sluice_machine_info, size), 0);
	assert_int_equal(offsetof(struct sluice_image, size), 0);
	assert_int_equal(offsetof(struct sluice_sampler, size), 0);
	assert_int_equal(offsetof(struct sluice_counter, size), 0);
	const struct sluice_rewriting how = {.is_dot = true};
	struct sluice_error error;
	assert_int_equal(sluice_rewrite("", 0, "none.ptx", &how, stdout, &error), SLUICE_BAD_ARGUMENT);
	assert_non_null(strstr(error.message, "SLUICE_SIZED(rewriting)"));
	const struct sluice_image image = {.dimensions = 1};
	uint64_t bytes;
	assert_false(sluice_image_bytes(&image, &bytes, &error));
	assert_non_null(strstr(error.message, "SLUICE_SIZED(image)"));
}

static void the_version_is_one(void **state)
{
	(void)state;
	unsigned major, minor, patch;
	char text[64];
	sluice_version_numbers(&major, &minor, &patch);
	snprintf(text, sizeof text, "%u.%u.%u", major, minor, patch);
	assert_string_equal(text, sluice_version());
	assert_string_equal(text, SLUICE_VERSION);
	assert_int_equal(major, SLUICE_VERSION_MAJOR);
	sluice_version_numbers(NULL, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(older_settings_count_as_zero_after_their_end),
		cmocka_unit_test(newer_settings_are_taken_while_unused),
		cmocka_unit_test(settings_without_size_are_refused),
		cmocka_unit_test(results_end_where_the_program_ends),
		cmocka_unit_test(sizes_come_first),
		cmocka_unit_test(the_version_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
