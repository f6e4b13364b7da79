/* Protects the rules that hold for every run, with valid random kernels on random machines with random mechanisms. The
 * kernels of every third case race.
 * - Memory afterwards equals that of the functional mode, or, with races, that of the first of these runs.
 * - There is no stall, no broken assertion, and no contradiction between counters.
 * - All statistics are the same with 1, 2 and 3 host threads, with and without sleep, and with and without run-ahead.
 * - They are the same with samples and a timeline, which some runs of every second case record, and those files agree,
 *   too.
 * - They are the same with a journal, and in a run that is resumed from it.
 * - A mechanism receives the outcome of each issued request.
 * - The message about a refused machine names the key.
 *
 *   test_machine_random [CASES [SEED [WITHOUT...]]]
 *     the cases from SEED on, each announced; by default a few seconds' worth
 *
 * A case that fails is printed completely. `test_machine_random 1 SEED` reruns it. WITHOUT removes settings and
 * mechanisms, to narrow the failure down. */
#include "random_runs.h"

#include "kernel_random.h"

static uint32_t cases = 15;
static uint64_t first_seed = 1;
static bool tells;
static char **without = (char *[]){NULL};

enum { KERNELS = 3, LAUNCHES = 4, PATIENCE = 300 };

struct launch {
	uint32_t kernel, dynamic_bytes, salt;
	sluice_dim grid, block;
	struct sluice_range range; /* that the program announces before; base 0: none */
	bool refused;              /* by the timed machine, which has no space for such a block */
};

struct random_case {
	uint64_t seed;
	bool races;
	struct random_text text;
	struct machine_random machine;
	struct launch launch[LAUNCHES];
	uint32_t launches;
};

/* The memory contents after a run. */
struct memory {
	uint32_t own[KERNEL_OWN * KERNEL_THREADS], meet[KERNEL_MEET], total[16];
	uint64_t pair[2];
};

/* --- the case --- */

/* The range that a block is declared to read, whatever it reads. Its base is an offset into `in`, and sometimes
 * anywhere. */
static struct sluice_range random_range(struct random_text *text)
{
	struct sluice_range range = {.base = 1 + random_below(text, 4 * KERNEL_IN - 1)};
	range.low = (int64_t)random_below(text, 512) - 64;
	range.high = range.low + random_below(text, 4096);
	for (int i = 0; i < 3; i++) {
		range.low_by[i] = (int64_t)random_below(text, 4096) - (random_below(text, 4) ? 0 : 2048);
		range.high_by[i] = range.low_by[i] + (random_below(text, 4) ? 0 : random_below(text, 256));
	}
	if (random_below(text, 4) == 0)
		range.high_by[random_below(text, 3)] = (int64_t)random_number(text->state);
	return range;
}

static void random_launch(struct random_text *text, struct launch *launch, uint32_t kernels)
{
	static const uint32_t sizes[] = {32, 64, 96, 128, 128, 256};
	uint32_t threads =
		random_below(text, 3) ? sizes[random_below(text, 6)] : 1 + random_below(text, KERNEL_LARGEST_BLOCK);
	*launch = (struct launch){.kernel = random_below(text, kernels), .salt = random_below(text, 1000)};
	launch->block = (sluice_dim){threads, 1, 1};
	if (random_below(text, 4) == 0) {
		launch->block =
			(sluice_dim){1 + random_below(text, 20), 1 + random_below(text, 5), 1 + random_below(text, 4)};
		threads = launch->block.x * launch->block.y * launch->block.z;
	}
	uint32_t blocks = 1 + random_below(text, random_below(text, 4) ? 8 : 60);
	if (blocks > KERNEL_THREADS / threads)
		blocks = KERNEL_THREADS / threads;
	launch->grid =
		random_below(text, 3) ? (sluice_dim){blocks, 1, 1} : (sluice_dim){(blocks + 1) / 2, 1 + blocks / 4, 1};
	if (launch->grid.x * launch->grid.y * threads > KERNEL_THREADS)
		launch->grid.y = 1;
	launch->dynamic_bytes = 4 * threads;
	if (random_below(text, 6) == 0)
		launch->range = random_range(text);
}

static void make_case(struct random_case *c, uint64_t seed)
{
	uint64_t stream = seed * 0xd1342543de82ef95;
	uint32_t kernels;
	memset(c, 0, sizeof *c);
	c->seed = seed;
	c->races = seed % 3 == 0;
	c->text.state = &stream;
	random_add(&c->text, "%s", KERNEL_MODULE);
	kernels = 1 + random_below(&c->text, KERNELS);
	for (uint32_t i = 0; i < kernels; i++)
		kernel_random(&(struct kernel_random){.text = &c->text, .races = c->races}, i);
	assert_true(c->text.length < RANDOM_TEXT - 1);
	c->launches = 1 + random_below(&c->text, LAUNCHES);
	for (uint32_t i = 0; i < c->launches; i++)
		random_launch(&c->text, &c->launch[i], kernels);
	if (c->races || random_below(&c->text, 3) == 0)
		machine_alone(&c->text, &c->machine);
	else
		machine_random(&c->text, &c->machine);
	for (char **word = without; *word; word++)
		machine_drop(&c->machine, *word);
	c->text.state = NULL;
}

static const struct random_case *current;

static void print_case(FILE *file)
{
	const struct random_case *c = current;
	fprintf(file, "%s\n// case %llu, rerun with: test_machine_random 1 %llu\n// ", c->text.text,
	        (unsigned long long)c->seed, (unsigned long long)c->seed);
	print_machine(&c->machine, file);
	for (uint32_t i = 0; i < c->launches; i++) {
		const struct launch *l = &c->launch[i];
		fprintf(file, "\n// kernel%u<<<(%u, %u, %u), (%u, %u, %u), %u>>>(salt %u)%s", l->kernel, l->grid.x,
		        l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z, l->dynamic_bytes, l->salt,
		        l->refused ? ": refused" : "");
		if (l->range.base)
			fprintf(file, ", announced in+%llu: %lld+(%lld, %lld, %lld), %lld+(%lld, %lld, %lld)",
			        (unsigned long long)l->range.base, (long long)l->range.low,
			        (long long)l->range.low_by[0], (long long)l->range.low_by[1],
			        (long long)l->range.low_by[2], (long long)l->range.high, (long long)l->range.high_by[0],
			        (long long)l->range.high_by[1], (long long)l->range.high_by[2]);
	}
	fprintf(file, "\n");
}

/* --- a run --- */

/* A way to simulate the same machine: statistics do not depend on it. */
struct way {
	const char *name;
	uint32_t threads;
	bool sleep, checks, traces; /* traces: samples and timeline, in every second case */
};

static const struct way ways[] = {{"timed", 1, true, false, false},
                                  {"2 threads", 2, true, false, true},
                                  {"3 threads", 3, true, false, false},
                                  {"without sleep, with checks", 1, false, true, true}};

/* The files that are written while kernels run: in the folder of this process, with their options. */
static char samples_path[64], timeline_path[64];

static bool keeps_traces(const struct random_case *c, const struct way *way)
{
	return way->traces && c->seed % 2;
}

/* With a timeline, all SMs stay in step. */
static bool keeps_timeline(const struct random_case *c)
{
	return c->seed / 2 % 2;
}

static void add_traces(const struct random_case *c, struct sluice_settings *settings)
{
	settings->sample_file = samples_path;
	settings->sample_every = 40 + c->seed % 311;
	if (!keeps_timeline(c))
		return;
	settings->timeline_file = timeline_path;
	settings->timeline_events = c->seed / 2 % 8 ? 0 : 1 + c->seed % 97;
}

static const char checks[] = "race,init,shared-init,divergence";

static void read_variable(sluice_gpu *gpu, sluice_module *module, const char *name, void *to, uint64_t size)
{
	uint64_t address, has;
	assert_true(sluice_find_variable(module, name, &address, &has));
	assert_int_equal(has, size);
	assert_int_equal(sluice_read(gpu, to, address, size, NULL), SLUICE_OK);
}

static void announce(sluice_gpu *gpu, struct sluice_range range, uint64_t in)
{
	struct sluice_error error;
	range.base += in;
	if (sluice_announce_range(gpu, &range, &error) != SLUICE_OK)
		FAIL("%s", error.message);
}

/* A launch that does not fit the machine is refused and changes nothing. It is marked, so that the functional mode
 * skips it. */
static void launch_all(struct random_case *c, sluice_gpu *gpu, sluice_module *module, const uint64_t address[3])
{
	struct sluice_error error;
	for (uint32_t i = 0; i < c->launches; i++) {
		struct launch *l = &c->launch[i];
		char name[32];
		void *arguments[] = {(void *)&address[0], (void *)&address[1], (void *)&address[2], &l->salt};
		if (l->refused && gpu->functional)
			continue;
		if (l->range.base)
			announce(gpu, l->range, address[0]);
		snprintf(name, sizeof name, "kernel%u", l->kernel);
		sluice_kernel *kernel = sluice_find_kernel(module, name);
		assert_non_null(kernel);
		enum sluice_status status =
			sluice_launch(gpu, kernel, l->grid, l->block, l->dynamic_bytes, arguments, &error);
		bool refused = status == SLUICE_BAD_LAUNCH && strstr(error.message, name);
		if (status != SLUICE_OK && (!refused || gpu->functional))
			FAIL("%s, launch %u: %s", stage, i, error.message);
		l->refused |= refused;
	}
}

static void run_case(struct random_case *c, sluice_gpu *gpu, struct memory *memory)
{
	static uint32_t in[KERNEL_IN];
	struct sluice_error error;
	sluice_module *module;
	uint64_t stream = c->seed;
	for (uint32_t i = 0; i < KERNEL_IN; i++)
		in[i] = (uint32_t)random_number(&stream) >> (i & 31);
	memset(memory, 0, sizeof *memory);
	const uint64_t address[3] = {new_buffer(gpu, in, sizeof in), new_buffer(gpu, memory->own, sizeof memory->own),
	                             new_buffer(gpu, memory->meet, sizeof memory->meet)};
	if (sluice_load(gpu, c->text.text, c->text.length, "random.ptx", &module, &error) != SLUICE_OK)
		FAIL("%s", error.message);
	launch_all(c, gpu, module, address);
	sluice_read(gpu, memory->own, address[1], sizeof memory->own, NULL);
	sluice_read(gpu, memory->meet, address[2], sizeof memory->meet, NULL);
	read_variable(gpu, module, "total", memory->total, sizeof memory->total);
	read_variable(gpu, module, "pair", memory->pair, sizeof memory->pair);
}

/* --- with a journal --- */

static char journal_path[64];

static void launch_file(uint32_t number, char path[128])
{
	snprintf(path, 128, "%s/%08u.launch", journal_path, number);
}

/* Removes the journal's launches from `number` on, as if the run had been killed in that one. */
static void cut_journal(uint32_t number)
{
	char path[128];
	for (; number <= LAUNCHES; number++) {
		launch_file(number, path);
		unlink(path);
	}
}

static void remove_journal(void)
{
	char path[128];
	cut_journal(1);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", journal_path, i ? "setup" : "lock");
		unlink(path);
	}
	rmdir(journal_path);
}

/* A mechanism of the case may have no hooks for its state. */
static bool has_journal(struct random_case *c)
{
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .journal = journal_path};
	struct sluice_error error;
	sluice_gpu *gpu = machine_open(&c->machine, true, settings, &error);
	if (!gpu && !strstr(error.message, "does not say what it keeps"))
		FAIL("%s", error.message);
	sluice_close(gpu);
	return gpu;
}

static char *run_with_journal(struct random_case *c, const char *name, bool resumes, struct memory *memory)
{
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .finding = tell_finding,
	                                         .journal = journal_path, .resume = resumes};
	struct sluice_error error;
	stage = name;
	sluice_gpu *gpu = machine_open(&c->machine, true, settings, &error);
	if (!gpu)
		FAIL("%s", error.message);
	run_case(c, gpu, memory);
	char *text = statistics(gpu);
	sluice_close(gpu);
	return text;
}

/* --- its results --- */

static char *content_of(const char *path)
{
	char *text = NULL;
	size_t length = 0;
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_true(getdelim(&text, &length, 0, file) > 0);
	fclose(file);
	return text;
}

/* The files of the last run equal those of the first run that wrote any. */
static void check_traces(const struct random_case *c, char *kept[2])
{
	static const char *const paths[] = {samples_path, timeline_path};
	for (int i = 0; i < 1 + keeps_timeline(c); i++) {
		char *text = content_of(paths[i]);
		if (kept[i])
			check_same(kept[i], text);
		free(kept[i]);
		kept[i] = text;
	}
}

static void check_memory(const struct memory *expected, const struct memory *memory)
{
	const uint32_t *a = (const uint32_t *)expected, *b = (const uint32_t *)memory;
	for (size_t i = 0; i < sizeof *memory / sizeof *a; i++)
		if (a[i] != b[i])
			FAIL("%s: word %zu is 0x%x; in the functional mode, or the first run, 0x%x", stage, i, b[i],
			     a[i]);
}

/* A journal changes nothing; neither does a run that is resumed from it, at any launch or at the end. */
static void check_journal(struct random_case *c, const char *first, const struct memory *expected)
{
	static struct memory memory;
	static const char *const names[] = {"with a journal", "resumed at the end", "resumed"};
	if (!has_journal(c))
		return;
	for (int i = 0; i < 3; i++) {
		char *text = run_with_journal(c, names[i], i > 0, &memory);
		check_same(first, text);
		check_memory(expected, &memory);
		if (i == 1)
			cut_journal(1 + (uint32_t)(c->seed % LAUNCHES));
		free(text);
	}
	remove_journal();
}

/* --- the test --- */

static void run_functional(struct random_case *c, struct memory *memory)
{
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .functional = true, .check = checks,
	                                         .finding = tell_finding};
	sluice_gpu *gpu;
	stage = "functional";
	assert_int_equal(sluice_open(&gpu, &settings, NULL), SLUICE_OK);
	run_case(c, gpu, memory);
	sluice_close(gpu);
}

static char *run_timed(struct random_case *c, const struct way *way, struct memory *memory)
{
	struct sluice_settings settings = {SLUICE_SIZED(settings), .check = way->checks && !c->races ? checks : NULL,
	                                   .finding = tell_finding};
	struct sluice_error error;
	if (keeps_traces(c, way))
		add_traces(c, &settings);
	sluice_gpu *gpu = machine_open(&c->machine, way->sleep, settings, &error);
	stage = way->name;
	if (!gpu)
		FAIL("%s", error.message);
	if (way->threads > 1)
		have_threads(gpu, way->threads);
	run_case(c, gpu, memory);
	char *text = statistics(gpu);
	sluice_close(gpu);
	return text;
}

static void check_case(struct random_case *c)
{
	static struct memory expected, memory;
	char *kept[2] = {NULL};
	settle_machine(&c->machine);
	char *first = run_timed(c, &ways[0], &memory); /* it marks the launches that are refused */
	if (c->races)
		expected = memory;
	else
		run_functional(c, &expected);
	stage = ways[0].name;
	check_memory(&expected, &memory);
	for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
		char *text = run_timed(c, &ways[i], &memory);
		check_same(first, text);
		check_memory(&expected, &memory);
		if (keeps_traces(c, &ways[i]))
			check_traces(c, kept);
		free(text);
	}
	check_journal(c, first, &expected);
	free(kept[0]);
	free(kept[1]);
	free(first);
}

static void cases_in_a_row(void **state)
{
	struct random_case *c = malloc(sizeof *c);
	(void)state;
	tell_ends();
	assert_non_null(c);
	for (uint32_t i = 0; i < cases; i++) {
		if (tells)
			fprintf(stderr, "case %llu\n", (unsigned long long)(first_seed + i));
		make_case(c, first_seed + i);
		current = c;
		print_current = print_case;
		alarm(PATIENCE);
		check_case(c);
		print_current = NULL;
	}
	alarm(0);
	free(c);
}

/* A folder of this process for its files. */
static int make_folder(void **state)
{
	static char folder[] = "/tmp/sluice-random-XXXXXX";
	*state = folder;
	if (!mkdtemp(folder))
		return -1;
	snprintf(journal_path, sizeof journal_path, "%s/journal", folder);
	snprintf(samples_path, sizeof samples_path, "%s/samples.csv", folder);
	snprintf(timeline_path, sizeof timeline_path, "%s/timeline.csv", folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(samples_path);
	unlink(timeline_path);
	return rmdir(*state);
}

int main(int count, char **arguments)
{
	tells = count > 1;
	if (count > 1)
		cases = (uint32_t)strtoul(arguments[1], NULL, 10);
	if (count > 2)
		first_seed = strtoull(arguments[2], NULL, 10);
	if (count > 3)
		without = arguments + 3;
	const struct CMUnitTest tests[] = {cmocka_unit_test(cases_in_a_row)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
