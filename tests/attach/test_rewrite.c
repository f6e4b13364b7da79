/* Protects PTX passes, which run before anything else is derived from a module. The passes named in the settings run
 * first, then those that mechanisms request, with their options. Spilling for a machine's limit sees their code. The
 * test's mechanism defines only the fields that passes use. */
#include "sluice.h"

#include "attach/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
	".version 3.2\n.target sm_20\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
	".reg .b32 %r<9>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\n"
	"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\nld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+16];\n"
	"bar.sync 0;\nst.global.v4.u32 [%rd1], {%r8, %r7, %r6, %r5};\n"
	"st.global.v4.u32 [%rd1+16], {%r4, %r3, %r2, %r1};\nret;\n}\n";

struct config {
	uint32_t value;
};

static const struct config defaults = {.value = 5};
static const struct base_option options[] = {
	{"value", BASE_OPTION_U32, offsetof(struct config, value), 0, 0, NULL, "", "that is written"},
};

/* At a thread's entry, writes the option's value to the first word. */
static enum pass_result run_mark(struct pass_job *job)
{
	char code[160];
	const struct config *config = job->config;
	const char *word = pass_register(job, PTX_U32).name;
	if (config->value == 13)
		return pass_refuse(job, job->function->body, "13 is no good");
	snprintf(code, sizeof code, "mov.u32 %s, %u;\nst.local.u32 [%s], %s;", word, config->value,
	         pass_variable(job, PTX_LOCAL, 4, 4)->name, word);
	return pass_add_text(job, pass_entry(job), code) ? PASS_CHANGED : PASS_REFUSED;
}

static const struct flow_pass mark = {.name = "mark",
                                      .meaning = "marks the entry",
                                      .stem = "mark",
                                      .options = options,
                                      .option_count = 1,
                                      .config_size = sizeof(struct config),
                                      .defaults = &defaults,
                                      .run = run_mark};
static const struct flow_pass *const marks[] = {&mark};

static void rewrite(const void *config, const struct mech_machine *machine, char *asks, size_t size)
{
	assert_int_equal(machine->sms, 3);
	snprintf(asks, size, "mark:value=%u", ((const struct config *)config)->value);
}

static const struct mech marker = {
	.version = MECH_VERSION,
	.name = "marker",
	.summary = "",
	.citation = "",
	.options = options,
	.option_count = 1,
	.config_size = sizeof(struct config),
	.defaults = &defaults,
	.passes = marks,
	.pass_count = 1,
	.rewrite = rewrite,
};

static const struct mech_machine machine = {.sms = 3};

/* Returns the module as printed PTX, or NULL after messages in `diag`. */
static char *parse(const char *const *named, const struct seam_attached *attached, uint32_t count, struct diag *diag)
{
	struct passes passes = {0};
	char *printed = NULL;
	size_t length;
	struct ptx_module *module = NULL;
	if (passes_open(&passes, named, attached, count, &machine, diag))
		module = passes_parse(&passes, "k.ptx", text, strlen(text), diag);
	if (module) {
		FILE *file = open_memstream(&printed, &length);
		ptx_print(module, file);
		fclose(file);
	}
	ptx_free(module);
	passes_close(&passes);
	return printed;
}

static void expect(const char *const *named, uint32_t value, const char *wanted)
{
	struct diag diag = {0};
	struct config config = {value};
	const struct seam_attached attached = {&marker, &config};
	char *printed = parse(named, &attached, 1, &diag);
	if (!printed)
		fail_msg("%s", diag.text);
	if (!strstr(printed, wanted))
		fail_msg("expected %s in\n%s", wanted, printed);
	free(printed);
}

/* Named passes run first. The mechanism's pass inserts its code at the entry later, so its code precedes theirs. */
static void mechanisms_come_behind_what_is_named(void **state)
{
	(void)state;
	const char *const named[] = {"mark:value=1", "mark", NULL};
	expect(NULL, 7, "\tmov.u32 %mark0, 7;\n\tst.local.u32 [__mark0], %mark0;\n\tld.param.u64 %rd1, [p];\n");
	expect(named, 9, "\tmov.u32 %mark__0, 9;\n\tst.local.u32 [__mark__2], %mark__0;\n\tmov.u32 %mark_0, 5;\n");
}

static void refused(const char *const *named, const struct mech *mech, uint32_t value, const char *says)
{
	struct diag diag = {0};
	struct config config = {value};
	const struct seam_attached attached[] = {{&marker, &config}, {mech, &config}};
	assert_null(parse(named, attached, 1 + (mech != NULL), &diag));
	if (!strstr(diag.text, says))
		fail_msg("expected '%s', not '%s'", says, diag.text);
	diag_free(&diag);
}

static void ask_for_nothing_good(const void *config, const struct mech_machine *seen, char *asks, size_t size)
{
	(void)config, (void)seen;
	snprintf(asks, size, "mark:valeu=1");
}

static void what_is_wrong_is_told(void **state)
{
	(void)state;
	const struct mech twin = {.name = "twin", .passes = marks, .pass_count = 1};
	const struct mech wrong = {.name = "wrong", .rewrite = ask_for_nothing_good};
	const char *const near[] = {"marc", NULL};
	refused(near, NULL, 1, "no pass 'marc'; did you mean 'mark'?");
	refused(NULL, &twin, 1,
	        "mechanism twin: a pass 'mark' exists already; the mechanism's pass needs another name");
	refused(NULL, &wrong, 1, "pass mark has no option 'valeu'; did you mean 'value'?");
	refused(NULL, &wrong, 1, "mechanism wrong: its hook rewrite requests 'mark:valeu=1'");
	refused(NULL, NULL, 13, "k.ptx:8:1: error: pass mark: 13 is no good");
}

/* --- through libsluice --- */

static struct sluice_kernel_info info_with(const char *const *passes, const char *const *gpu_options)
{
	struct sluice_error error;
	struct sluice_settings settings = {SLUICE_SIZED(settings), .passes = passes, .options = gpu_options};
	struct sluice_kernel_info info = {SLUICE_SIZED(kernel_info)};
	sluice_gpu *gpu;
	sluice_module *module;
	if (sluice_open(&gpu, &settings, &error) != SLUICE_OK ||
	    sluice_load(gpu, text, strlen(text), "k.ptx", &module, &error) != SLUICE_OK ||
	    sluice_kernel_info(gpu, sluice_find_kernel(module, "k"), &info, &error) != SLUICE_OK)
		fail_msg("%s", error.message);
	sluice_close(gpu);
	return info;
}

/* When a limit also forces spilling, the spilled code is the code that the passes wrote. */
static void spilling_sees_what_passes_have_made(void **state)
{
	(void)state;
	const char *const passes[] = {"spill:registers=9", NULL}, *const limit[] = {"kernel.k.max_registers=6", NULL};
	struct sluice_kernel_info plain = info_with(NULL, NULL), spilled = info_with(passes, NULL),
				  both = info_with(passes, limit), limited = info_with(NULL, limit);
	assert_int_equal(plain.local_bytes, 0);
	assert_int_equal(plain.instructions, 7);
	assert_true(spilled.local_bytes > 0 && spilled.instructions > plain.instructions);
	assert_int_equal(spilled.spill_bytes, 0); /* spills of the pass are not counted as the machine's */
	assert_true(both.spill_bytes > 0 && both.local_bytes > both.spill_bytes);
	assert_true(limited.spill_bytes > 0 && limited.local_bytes < both.local_bytes);
}

/* A pass that fails is an error of the module. The machine remains usable. */
static void a_module_that_is_refused_is_not_loaded(void **state)
{
	(void)state;
	const char *const passes[] = {"spill:registers=1", NULL}, *const none[] = {"spil", NULL};
	struct sluice_error error;
	struct sluice_settings settings = {SLUICE_SIZED(settings), .passes = passes};
	sluice_gpu *gpu;
	sluice_module *module;
	assert_int_equal(sluice_open(&gpu, &settings, &error), SLUICE_OK);
	assert_int_equal(sluice_load(gpu, text, strlen(text), "k.ptx", &module, &error), SLUICE_BAD_PTX);
	assert_non_null(strstr(error.message, "k.ptx:4:10: error: pass spill: kernel 'k' needs "));
	sluice_close(gpu);
	settings.passes = none;
	assert_int_equal(sluice_open(&gpu, &settings, &error), SLUICE_BAD_SETTING);
	assert_non_null(strstr(error.message, "no pass 'spil'; did you mean 'spill'?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mechanisms_come_behind_what_is_named),
		cmocka_unit_test(what_is_wrong_is_told),
		cmocka_unit_test(spilling_sees_what_passes_have_made),
		cmocka_unit_test(a_module_that_is_refused_is_not_loaded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
