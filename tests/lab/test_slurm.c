/* Protects the use of Slurm: the reason of a task's end, remaining tasks, limits, and submitted arguments. Stub
 * commands replace Slurm's and print what a cluster with accounting prints. Their output is written by hand in the
 * formats of sacct(1), scontrol(1), squeue(1) and sbatch(1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sluice-test-slurm.XXXXXX";

/* Installs a command that prints `text`, stores its arguments in NAME.arguments, and exits with this status. */
static void put_command(const char *name, const char *text, int status)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\nprintf '%%s\\n' \"$@\" >'%s.arguments'\ncat <<'END'\n%sEND\nexit %d\n", path, text,
	        status);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static bool was_asked(const char *name, const char *argument)
{
	char path[256], line[512];
	bool found = false;
	snprintf(path, sizeof path, "%s/%s.arguments", folder, name);
	FILE *file = fopen(path, "r");
	while (file && fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		found |= strcmp(line, argument) == 0;
	}
	if (file)
		fclose(file);
	return found;
}

static int set_up(void **state)
{
	char path[4096];
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
	return setenv("PATH", path, 1);
}

static int take_down(void **state)
{
	char command[128];
	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

/* The reason is accounting's state. If accounting has no state or is late, it is the controller's state, or else
 * empty. */
static void test_reason(void **state)
{
	static const struct {
		const char *account, *control, *reason;
		int account_status, control_status;
	} answers[] = {
		{"NODE_FAIL\n", "", "NODE_FAIL", 0, 1},
		{"TIMEOUT\n", "JobId=19 JobState=COMPLETED\n", "TIMEOUT", 0, 0},
		{"OUT_OF_MEMORY\n", "", "OUT_OF_MEMORY", 0, 1},
		{"CANCELLED by 1000\n", "", "CANCELLED", 0, 1},
		{"CANCELLED+\n", "", "CANCELLED", 0, 1},
		{"NODE_FAIL\nCOMPLETED\n", "", "COMPLETED", 0, 1}, /* a task that was started twice */
		{"\nPREEMPTED\n\n", "", "PREEMPTED", 0, 1},
		{"", "JobId=19 ArrayJobId=17 ArrayTaskId=3 JobState=FAILED Reason=NonZeroExitCode Dependency=(null)\n",
	         "FAILED", 0, 0},
		{"RUNNING\n", "JobId=19 JobState=NODE_FAIL Reason=NodeDown\n", "NODE_FAIL", 0, 0},
		{"REQUEUED\n", "", "", 0, 1},
		{"CANCELLED by 0\n", "", "CANCELLED", 0, 1},
		{"Slurm accounting storage is disabled\n", "JobId=19 JobState=CANCELLED Reason=None\n", "CANCELLED", 1,
	         0},
		{"", "slurm_load_jobs error: Invalid job id specified\n", "", 1, 1},
		{"", "JobId=19\n", "", 0, 0},
	};
	char reason[64];
	(void)state;
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		put_command("sacct", answers[i].account, answers[i].account_status);
		put_command("scontrol", answers[i].control, answers[i].control_status);
		slurm_reason("17", 3, reason);
		assert_string_equal(reason, answers[i].reason);
		assert_true(was_asked("sacct", "17_3") && was_asked("sacct", "--format=State") &&
		            was_asked("sacct", "--parsable2"));
	}
	put_command("sacct", "", 127); /* as if the program were missing */
	put_command("scontrol", "JobId=19 JobState=BOOT_FAIL\n", 0);
	slurm_reason("17", 3, reason);
	assert_string_equal(reason, "BOOT_FAIL");
}

struct seen {
	char text[512];
};

static void add_task(void *context, const struct slurm_task *task)
{
	struct seen *seen = context;
	size_t length = strlen(seen->text);
	snprintf(seen->text + length, sizeof seen->text - length, "%zu.%zu %s %s %s;", task->batch, task->task,
	         task->state, task->job, task->reason);
}

/* Only tasks of this folder's sweep are listed, not the user's other tasks. Submission uses the same name prefix. */
static void test_tasks(void **state)
{
	static const char *const asked[] = {"--array", "--noheader", "--format=%j|%K|%T|%F|%r"};
	const char *options[] = {"--qos=low"};
	const struct words words = {options, 1};
	const struct slurm_array array = {
		.folder = folder, .script = "task.sh", .batch = 5, .count = 12, .memory = 1 << 20, .options = &words};
	char job[SLURM_JOB], message[SLURM_MESSAGE], answer[1024], path[256], name[128] = "";
	struct seen seen = {""};
	(void)state;
	put_command("sbatch", "171;cluster\n", 0);
	assert_true(slurm_submit(&array, job, message));
	assert_string_equal(job, "171");
	assert_true(was_asked("sbatch", "--array=0-11") && was_asked("sbatch", "--qos=low") &&
	            was_asked("sbatch", "--mem=1025K") && was_asked("sbatch", "--requeue") &&
	            was_asked("sbatch", "task.sh") && was_asked("sbatch", "5"));
	snprintf(path, sizeof path, "%s/sbatch.arguments", folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(answer, sizeof answer, file))
		if (sscanf(answer, "--job-name=%127s", name) == 1)
			break;
	fclose(file);
	assert_true(strlen(name) > 2 && strcmp(name + strlen(name) - 2, ".5") == 0);

	snprintf(answer, sizeof answer,
	         "%s|3|RUNNING|171|None\nother|1|RUNNING|9|None\n%s|4|PENDING|171|Resources\nsluice-zzz.1|1|PENDING|8|"
	         "None\n",
	         name, name);
	put_command("squeue", answer, 0);
	assert_true(slurm_each(folder, add_task, &seen));
	assert_string_equal(seen.text, "5.3 RUNNING 171 None;5.4 PENDING 171 Resources;");
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		assert_true(was_asked("squeue", asked[i]));
	put_command("squeue", "", 1);
	assert_false(slurm_each(folder, add_task, &seen));

	put_command("sbatch", "", 1);
	assert_false(slurm_submit(&array, job, message));
	assert_string_equal(message, "sbatch failed");
}

static void test_setup(void **state)
{
	(void)state;
	put_command("scontrol",
	            "Configuration data\nMaxArraySize            = 4001\nSelectTypeParameters    = CR_CORE_MEMORY\n",
	            0);
	struct slurm_setup setup = slurm_setup();
	assert_true(setup.array_limit == 4001 && setup.counts_memory);
	put_command("scontrol", "Configuration data\nMaxArraySize            = 0\nSelectTypeParameters    = CR_CPU\n",
	            0);
	setup = slurm_setup();
	assert_true(setup.array_limit == 1000 && !setup.counts_memory);
	put_command("scontrol", "", 1);
	setup = slurm_setup();
	assert_true(setup.array_limit == 1000 && !setup.counts_memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reason),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_setup),
	};
	return cmocka_run_group_tests(tests, set_up, take_down);
}
