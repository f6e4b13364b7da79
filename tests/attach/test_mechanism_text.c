/* Protects the text of `sluice mech show` for every mechanism: each heading has at least one row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/pass.h"
#include "mech/list.h"
#include "seam/mech.h"
#include "sluice.h"

static char *describe(const sluice_gpu *gpu, const char *name)
{
	struct sluice_error error;
	static char *text; /* static: gcc 12 reports a dangling pointer for a local */
	static size_t length;
	FILE *file = open_memstream(&text, &length);
	assert_non_null(file);
	if (sluice_mechanism_describe(gpu, name, file, &error) != SLUICE_OK)
		fail_msg("%s: %s", name, error.message);
	fclose(file);
	return text;
}

static void check_heading(const struct mech *mech, const char *text, const char *heading, bool expected)
{
	if ((strstr(text, heading) != NULL) != expected)
		fail_msg("%s: expected%s '%s' in\n%s", mech->name, expected ? "" : " no", heading + 1, text);
}

/* Checks that a row with this name follows the heading. */
static void check_row(const struct mech *mech, const char *text, const char *heading, const char *name)
{
	char row[128];
	snprintf(row, sizeof row, "\n  %s ", name);
	const char *begin = strstr(text, heading);
	if (!begin || !strstr(begin, row))
		fail_msg("%s: expected '%s' under '%s' in\n%s", mech->name, name, heading + 1, text);
}

static void check_mechanism(const sluice_gpu *gpu, const struct mech *mech)
{
	char *text = describe(gpu, mech->name);
	assert_non_null(strstr(text, mech->summary));
	check_heading(mech, text, "\noptions:\n", mech->option_count);
	check_heading(mech, text, "\ncounters:\n", mech->counter_count || mech->sends || mech->vector_count);
	check_heading(mech, text, "\nevents of the timeline:\n", mech->event_count);
	check_heading(mech, text, "\npasses:\n", mech->pass_count);
	for (size_t i = 0; i < mech->event_count; i++)
		check_row(mech, text, "\nevents of the timeline:\n", mech->events[i].name);
	for (uint32_t i = 0; i < mech->pass_count; i++)
		check_row(mech, text, "\npasses:\n", mech->passes[i]->name);
	free(text);
}

static void headings_stand_over_rows(void **state)
{
	(void)state;
	sluice_gpu *gpu;
	struct sluice_error error;
	struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = "gtx480"};
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK)
		fail_msg("%s", error.message);
	for (size_t i = 0; i < mech_list_count; i++)
		if (!mech_list[i]->stands_for_count) /* their stand-ins are listed */
			check_mechanism(gpu, mech_list[i]);
	sluice_close(gpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(headings_stand_over_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
