/* Protects the meaning of DMA (docs/reference/dma.md), with random programs that move tiles by DMA on random machines
 * with random mechanisms:
 * - A program leaves the memory that plain C computes (moves_model.h): in a functional run, in a timed run, and with an
 *   engine that times transfers.
 * - --check race,init,shared-init finds nothing in it.
 * - Statistics do not depend on sleep and are the same with 2 host threads.
 * - A program that is then broken, so that it may race, gives the same findings whatever the order of warps and data.
 *   It leaves the same memory if there are no findings.
 *
 *   test_dma_random [CASES [SEED [WITHOUT...]]]
 *     the cases from SEED on, each announced; by default a few seconds' worth
 *
 * A case that fails is printed completely. `test_dma_random 1 SEED` reruns it. WITHOUT removes settings and mechanisms,
 * to narrow the failure down. */
#include "random_runs.h"

#include "moves_model.h"
#include "moves_ptx.h"

static uint32_t cases = 30;
static uint64_t first_seed = 1;
static bool tells;
static char **without = (char *[]){NULL};

enum { PATIENCE = 300 };

/* A mechanism that times transfers, with options. */
static void random_engine(uint64_t seed, char *text, size_t size)
{
	static const char *const segment[] = {"128", "64", "32"};
	static const char *const order[] = {"oldest", "youngest", "round_robin"};
	uint64_t r = seed * 0xd1342543de82ef95 >> 20;
	snprintf(text, size,
	         "d2ma:segment=%s,order=%s,entries=%u,interval=%u,latency=%u,mshrs=%u,before_demand=%s,sync=%s",
	         segment[r % 3], order[r / 3 % 3], (unsigned)(1 + r / 9 % 4),
	         (unsigned)(r / 36 % 2 ? 1 : 1 + r / 72 % 9), (unsigned)(r / 648 % 3 ? 4 : r / 1944 % 40),
	         (unsigned)(r / 77760 % 2 ? 0 : 1 + r / 155520 % 40), r / 6220800 % 2 ? "yes" : "no",
	         r / 12441600 % 3 ? "address" : "barrier");
}

struct memory {
	uint32_t out[MOVES_BLOCKS * MOVES_THREADS], filled[MOVES_BLOCKS * MOVES_THREADS];
};

struct random_case {
	uint64_t seed;
	struct random_text text;
	struct moves_program program;
	struct machine_random machine;
	uint8_t in[MOVES_IN];
	bool refused; /* by the timed machine, which has no space for such a block */
};

static struct random_case current;

static void print_case(FILE *file)
{
	const struct moves_program *p = &current.program;
	fprintf(file, "%s\n// case %llu, rerun with: test_dma_random 1 %llu\n// ", current.text.text,
	        (unsigned long long)current.seed, (unsigned long long)current.seed);
	print_machine(&current.machine, file);
	fprintf(file, "\n// kernel<<<%u, (%u, %u)>>>%s\n", p->blocks, p->width, p->threads / p->width,
	        current.refused ? ": refused" : "");
}

static void make_case(struct random_case *c, uint64_t seed)
{
	uint64_t stream = seed * 0xd1342543de82ef95;
	memset(c, 0, sizeof *c);
	c->seed = seed;
	c->text.state = &stream;
	moves_random(&c->text, &c->program);
	moves_write_ptx(&c->text, &c->program);
	assert_true(c->text.length < RANDOM_TEXT - 1);
	for (uint32_t i = 0; i < MOVES_IN; i++)
		c->in[i] = (uint8_t)random_number(&stream);
	machine_random(&c->text, &c->machine);
	for (char **word = without; *word; word++)
		machine_drop(&c->machine, *word);
	c->text.state = NULL;
}

/* Computes the result in plain C. */
static void compute(const struct random_case *c, struct memory *memory)
{
	const struct moves_program *p = &c->program;
	memset(memory, 0, sizeof *memory);
	for (uint32_t block = 0; block < p->blocks; block++)
		moves_model_block(p, block, c->in, (uint8_t *)(memory->filled + block * MOVES_THREADS),
		                  memory->out + block * p->threads);
}

/* A launch that does not fit the machine is refused. */
static void launch(struct random_case *c, sluice_gpu *gpu, uint64_t address[3])
{
	const struct moves_program *p = &c->program;
	void *arguments[] = {&address[0], &address[1], &address[2]};
	struct sluice_error error;
	sluice_module *module;
	if (sluice_load(gpu, c->text.text, c->text.length, "random.ptx", &module, &error) != SLUICE_OK)
		FAIL("%s", error.message);
	sluice_kernel *kernel = sluice_find_kernel(module, "kernel");
	assert_non_null(kernel);
	enum sluice_status status =
		sluice_launch(gpu, kernel, (sluice_dim){p->blocks, 1, 1},
	                      (sluice_dim){p->width, p->threads / p->width, 1}, 0, arguments, &error);
	c->refused = status == SLUICE_BAD_LAUNCH && !gpu->functional && strstr(error.message, "kernel");
	if (status != SLUICE_OK && !c->refused)
		FAIL("%s: %s", stage, error.message);
}

static void run(struct random_case *c, sluice_gpu *gpu, struct memory *memory)
{
	memset(memory, 0, sizeof *memory);
	uint64_t address[] = {new_buffer(gpu, c->in, sizeof c->in),
	                      new_buffer(gpu, memory->filled, sizeof memory->filled),
	                      new_buffer(gpu, memory->out, sizeof memory->out)};
	launch(c, gpu, address);
	sluice_read(gpu, memory->filled, address[1], sizeof memory->filled, NULL);
	sluice_read(gpu, memory->out, address[2], sizeof memory->out, NULL);
}

static void check_memory(const struct random_case *c, const struct memory *expected, const struct memory *memory)
{
	const uint32_t *a = (const uint32_t *)expected, *b = (const uint32_t *)memory;
	for (size_t i = 0; i < sizeof *memory / sizeof *a && !c->refused; i++)
		if (a[i] != b[i])
			FAIL("%s: word %zu is 0x%x, expected 0x%x", stage, i, b[i], a[i]);
}

static const char checks[] = "race,init,shared-init,divergence";

static void run_functional(struct random_case *c, const struct memory *expected)
{
	static struct memory memory;
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .functional = true, .check = checks,
	                                         .finding = tell_finding};
	sluice_gpu *gpu;
	stage = "functional";
	assert_int_equal(sluice_open(&gpu, &settings, NULL), SLUICE_OK);
	run(c, gpu, &memory);
	check_memory(c, expected, &memory);
	sluice_close(gpu);
}

/* A way to simulate the same machine: statistics do not depend on it. */
struct way {
	const char *name;
	uint32_t threads;
	bool sleep, checks;
};

static const struct way ways[] = {
	{"timed", 1, true, false}, {"2 threads", 2, true, false}, {"without sleep, with checks", 1, false, true}};

static char *run_timed(struct random_case *c, const struct way *way, const struct memory *expected)
{
	static struct memory memory;
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .check = way->checks ? checks : NULL,
	                                         .finding = tell_finding};
	struct sluice_error error;
	sluice_gpu *gpu = machine_open(&c->machine, way->sleep, settings, &error);
	stage = way->name;
	if (!gpu)
		FAIL("%s", error.message);
	if (way->threads > 1)
		have_threads(gpu, way->threads);
	run(c, gpu, &memory);
	check_memory(c, expected, &memory);
	char *text = statistics(gpu);
	sluice_close(gpu);
	return text;
}

static void run_ways(struct random_case *c, const struct memory *expected)
{
	char *first = NULL;
	settle_machine(&c->machine);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		char *text = run_timed(c, &ways[i], expected);
		if (!first) {
			first = text;
			continue;
		}
		check_same(first, text);
		free(text);
	}
	free(first);
}

/* The same machine with an engine added. Where the engine conflicts with present mechanisms, some of these are
 * removed. */
static void run_engine(struct random_case *c, const struct memory *expected)
{
	struct machine_random *m = &c->machine;
	uint32_t others = m->mechanisms < MACHINE_MECHANISMS ? m->mechanisms : MACHINE_MECHANISMS - 1;
	memmove(m->mechanism[1], m->mechanism[0], others * sizeof *m->mechanism);
	random_engine(c->seed, m->mechanism[0], sizeof m->mechanism[0]);
	m->mechanisms = others + 1;
	run_ways(c, expected);
}

/* --- programs that may race --- */

static void count_finding(void *user, const char *text)
{
	(void)text;
	++*(uint64_t *)user;
}

/* Returns false if the machine has no space for it. */
static bool find_races(struct random_case *c, bool functional, uint64_t *found, struct memory *memory)
{
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .functional = functional, .check = "race",
	                                         .finding = count_finding, .finding_user = found};
	struct sluice_error error;
	sluice_gpu *gpu;
	*found = 0;
	if (!functional)
		gpu = machine_open(&c->machine, true, settings, &error);
	else if (sluice_open(&gpu, &settings, &error) != SLUICE_OK)
		gpu = NULL;
	if (!gpu)
		FAIL("%s", error.message);
	run(c, gpu, memory);
	sluice_close(gpu);
	return !c->refused;
}

static void break_case(struct random_case *c)
{
	uint64_t stream = ~c->seed;
	c->text = (struct random_text){.state = &stream};
	moves_break(&c->text, &c->program);
	moves_write_ptx(&c->text, &c->program);
	c->text.state = NULL;
}

/* On the machine of the last case. */
static void check_broken(struct random_case *c)
{
	static struct memory memory[2];
	uint64_t found[2];
	break_case(c);
	stage = "broken";
	if (!find_races(c, true, &found[0], &memory[0]) || !find_races(c, false, &found[1], &memory[1]))
		return;
	if (!found[0] != !found[1])
		FAIL("%llu races found in the functional mode, %llu in the timed mode", (unsigned long long)found[0],
		     (unsigned long long)found[1]);
	if (!found[0])
		check_memory(c, &memory[0], &memory[1]);
}

static void check_case(struct random_case *c)
{
	static struct memory expected;
	compute(c, &expected);
	run_functional(c, &expected);
	run_ways(c, &expected);
	run_engine(c, &expected);
	check_broken(c);
}

static void cases_in_a_row(void **state)
{
	(void)state;
	tell_ends();
	for (uint32_t i = 0; i < cases; i++) {
		if (tells)
			fprintf(stderr, "case %llu\n", (unsigned long long)(first_seed + i));
		make_case(&current, first_seed + i);
		print_current = print_case;
		alarm(PATIENCE);
		check_case(&current);
		print_current = NULL;
	}
	alarm(0);
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
	return cmocka_run_group_tests(tests, NULL, NULL);
}
