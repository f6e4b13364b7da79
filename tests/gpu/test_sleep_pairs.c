/* Protects that statistics do not depend on how a machine is simulated, for each warp order together with each other
 * mechanism. launch.sleep on and off, launch.window 1 and 64, and one or two host threads give the same statistics.
 * The test pairs each warp order with each other mechanism of `sluice mech list`, with random options, on random
 * programs without races and random machines.
 *
 *   test_sleep_pairs                    a few pairs
 *   test_sleep_pairs ROUNDS [SEED]      all pairs, ROUNDS times each; each is announced
 *   test_sleep_pairs ORDER OTHER SEED   reruns one case */
#include "random_runs.h"

#include "kernel_random.h"
#include "mech/list.h"

enum { FEW = 8, LAUNCHES = 3, PATIENCE = 300, PAIRS = 1024, STRIDED_BLOCKS = 12 };

struct pair {
	const struct mech *order, *other; /* NULL: none */
};

struct pair_case {
	uint64_t seed;
	struct pair pair;
	struct random_text text;
	struct machine_random machine;
	uint32_t kernels, threads[LAUNCHES], blocks[LAUNCHES], salt[LAUNCHES];
};

/* --- the pairs --- */

static bool is_order(const struct mech *mech)
{
	return mech->policies & MECH_POLICY_WARP_ORDER;
}

/* True for mechanisms to pair with an order. Mechanisms that only combine others are in the pairs of these. The trace
 * mechanism belongs to no study: it writes a file. */
static bool is_beside(const struct mech *mech)
{
	return !is_order(mech) && !mech->stands_for_count && strcmp(mech->name, "trace") != 0;
}

static uint32_t all_pairs(struct pair pairs[PAIRS])
{
	uint32_t count = 0;
	for (size_t o = 0; o < mech_list_count; o++) {
		if (!is_order(mech_list[o]))
			continue;
		pairs[count++] = (struct pair){mech_list[o], NULL};
		for (size_t m = 0; m < mech_list_count; m++)
			if (is_beside(mech_list[m]))
				pairs[count++] = (struct pair){mech_list[o], mech_list[m]};
	}
	assert_in_range(count, 12, PAIRS);
	return count;
}

static const struct mech *find(const char *name)
{
	for (size_t i = 0; i < mech_list_count; i++)
		if (strcmp(mech_list[i]->name, name) == 0)
			return mech_list[i];
	return NULL;
}

/* --- a case --- */

/* Every second time with some of its options. */
static void attach(struct random_text *text, struct machine_random *m, const struct mech *mech)
{
	char *into = m->mechanism[m->mechanisms++];
	int length = snprintf(into, MACHINE_TEXT, "%s", mech->name);
	bool any = false;
	if (random_below(text, 2))
		return;
	for (size_t i = 0; i < mech->option_count; i++) {
		char option[MACHINE_TEXT];
		if (mech->options[i].type == BASE_OPTION_TEXT || random_below(text, 3))
			continue;
		machine_option(text, &mech->options[i], option);
		if ((size_t)length + strlen(option) + 2 > MACHINE_TEXT)
			break;
		length += snprintf(into + length, MACHINE_TEXT - (size_t)length, "%c%s", any ? ',' : ':', option);
		any = true;
	}
}

/* Strided loads in a loop whose values later instructions need: prefetchers recognize them, and warps wait for them
 * together. */
static void strided_kernel(struct random_text *text, uint32_t number)
{
	random_add(text,
	           ".visible .entry kernel%u(.param .u64 in, .param .u64 out, .param .u64 meet, .param .u32 salt)\n{\n"
	           ".reg .pred %%p;\n.reg .b32 %%r<10>;\n.reg .b64 %%d<6>;\n.shared .align 4 .b8 sh[%u];\n"
	           "ld.param.u64 %%d0, [in];\nld.param.u64 %%d1, [out];\nmov.u32 %%r0, %%tid.x;\n"
	           "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ntid.x;\nmad.lo.u32 %%r3, %%r1, %%r2, %%r0;\n"
	           "mul.wide.u32 %%d2, %%r3, %u;\nadd.u64 %%d2, %%d0, %%d2;\nmul.wide.u32 %%d3, %%r3, %u;\n"
	           "add.u64 %%d3, %%d1, %%d3;\nmov.u32 %%r4, 0;\nmov.u32 %%r5, 0;\nshl.b32 %%r6, %%r0, 2;\n"
	           "mov.u32 %%r7, sh;\nadd.u32 %%r6, %%r6, %%r7;\n",
	           number, 4 * KERNEL_LARGEST_BLOCK, 4u << random_below(text, 3), 4 * KERNEL_OWN);
	random_add(text, "loop:\nld.global.u32 %%r8, [%%d2];\n");
	for (uint32_t i = random_below(text, 3); i; i--)
		random_add(text, "mad.lo.u32 %%r5, %%r8, 3, %%r5;\n");
	if (random_below(text, 2))
		random_add(text, "ld.global.u32 %%r9, [%%d2+%u];\nadd.u32 %%r5, %%r5, %%r9;\n",
		           4 * random_below(text, 900));
	if (random_below(text, 2))
		random_add(text, "st.shared.u32 [%%r6], %%r8;\nbar.sync 0;\nld.shared.u32 %%r9, [%%r6];\nadd.u32 %%r5, "
		                 "%%r5, %%r9;\n");
	if (random_below(text, 3) == 0)
		random_add(text, "st.global.u32 [%%d3], %%r5;\n");
	random_add(text,
	           "add.u64 %%d2, %%d2, %u;\nadd.u32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p, %%r4, %u;\n@%%p bra loop;\n"
	           "st.global.u32 [%%d3], %%r5;\nexit;\n}\n",
	           128u << random_below(text, 5), 2 + random_below(text, 6));
}

static void make_machine(struct random_text *text, struct machine_random *m, struct pair pair)
{
	static const char *const machines[] = {"gtx480",          "gtx480-v4", "gtx480-caps",
	                                       "gtx480-teleport", "qv100",     "rtx3070"};
	*m = (struct machine_random){.machine = machines[random_below(text, sizeof machines / sizeof *machines)]};
	machine_settings(text, m);
	m->options = m->options < 12 || random_below(text, 4) == 0 ? m->options : random_below(text, 12);
	machine_drop_key(m, "sm.per_cluster");
	machine_drop_key(m, "sm.count");
	machine_drop_key(m, "sm.zero_latency_memory");
	snprintf(m->option[m->options++], MACHINE_TEXT, "sm.count=%u", 1 + random_below(text, 4));
	attach(text, m, pair.order);
	if (pair.other)
		attach(text, m, pair.other);
	if (random_below(text, 4) == 0)
		snprintf(m->mechanism[m->mechanisms++], MACHINE_TEXT,
		         BUILD_DIR "/tests/chance_step.so:seed=%u,rate=%u,near=%u,hold=%u,buffer=no",
		         random_below(text, 1000000), 1 + random_below(text, 4), 1u << random_below(text, 12),
		         1 + random_below(text, 4));
}

static void make_case(struct pair_case *c, struct pair pair, uint64_t seed)
{
	uint64_t stream = seed * 0xd1342543de82ef95;
	memset(c, 0, sizeof *c);
	c->seed = seed;
	c->pair = pair;
	c->text.state = &stream;
	random_add(&c->text, "%s", KERNEL_MODULE);
	c->kernels = LAUNCHES;
	for (uint32_t i = 0; i < LAUNCHES; i++) {
		static const uint32_t sizes[] = {32, 64, 96, 128, 192, 256};
		if (i == 0 || random_below(&c->text, 3) == 0)
			strided_kernel(&c->text, i);
		else
			kernel_random(&(struct kernel_random){.text = &c->text}, i);
		c->threads[i] = sizes[random_below(&c->text, 6)];
		c->blocks[i] = 1 + random_below(&c->text, STRIDED_BLOCKS);
		c->salt[i] = random_below(&c->text, 1000);
	}
	assert_true(c->text.length < RANDOM_TEXT - 1);
	make_machine(&c->text, &c->machine, pair);
	c->text.state = NULL;
}

static const struct pair_case *current;

static void print_case(FILE *file)
{
	const struct pair_case *c = current;
	fprintf(file, "%s\n// rerun with: test_sleep_pairs %s %s %llu\n// ", c->text.text, c->pair.order->name,
	        c->pair.other ? c->pair.other->name : "none", (unsigned long long)c->seed);
	print_machine(&c->machine, file);
	for (uint32_t i = 0; i < LAUNCHES; i++)
		fprintf(file, "\n// kernel%u<<<%u, %u, %u>>>(salt %u)", i, c->blocks[i], c->threads[i],
		        4 * c->threads[i], c->salt[i]);
	fprintf(file, "\n");
}

/* A refusal names a key that was set, or a mechanism: then some of its options are removed, and finally all keys except
 * the number of SMs. The pair stays. */
static void settle(struct machine_random *m)
{
	struct sluice_error error;
	sluice_gpu *gpu;
	while (!(gpu = machine_open_with(m, true, 24, (struct sluice_settings){SLUICE_SIZED(settings), .machine = NULL},
	                                 &error))) {
		bool has_options = false;
		uint32_t before = m->options;
		if (error.status != SLUICE_BAD_SETTING)
			FAIL("%s", error.message);
		if (!strstr(error.message, "error: mechanism ") && machine_drop_named(m, error.message) &&
		    m->options < before)
			continue;
		for (uint32_t i = 0; i < m->mechanisms; i++)
			if (!strstr(m->mechanism[i], ".so")) {
				has_options |= strchr(m->mechanism[i], ':') != NULL;
				m->mechanism[i][strcspn(m->mechanism[i], ":")] = '\0';
			}
		if (has_options)
			continue;
		if (m->options < 2 && strcmp(m->machine, "gtx480") == 0)
			FAIL("refused: %s", error.message);
		m->machine = m->options < 2 ? "gtx480" : m->machine;
		snprintf(m->option[0], MACHINE_TEXT, "sm.count=2");
		m->options = 1;
	}
	sluice_close(gpu);
}

/* --- a run --- */

static const struct way {
	const char *name;
	bool sleep;
	uint32_t window, threads;
} ways[] = {{"asleep, window 64", true, 64, 1},
            {"awake, window 1", false, 1, 1},
            {"asleep, window 1", true, 1, 1},
            {"awake, window 64", false, 64, 1},
            {"asleep, window 64, 2 threads", true, 64, 2},
            {"awake, window 1, 2 threads", false, 1, 2},
            {"asleep, window 1, 2 threads", true, 1, 2},
            {"awake, window 64, 2 threads", false, 64, 2}};

/* A launch that does not fit the machine is refused, in all ways. */
static void launch(const struct pair_case *c, sluice_gpu *gpu, sluice_module *module, uint32_t number,
                   const uint64_t address[3])
{
	struct sluice_error error;
	char name[32];
	uint32_t salt = c->salt[number], threads = c->threads[number];
	void *arguments[] = {(void *)&address[0], (void *)&address[1], (void *)&address[2], &salt};
	snprintf(name, sizeof name, "kernel%u", number);
	sluice_kernel *kernel = sluice_find_kernel(module, name);
	assert_non_null(kernel);
	enum sluice_status status = sluice_launch(gpu, kernel, (sluice_dim){c->blocks[number], 1, 1},
	                                          (sluice_dim){threads, 1, 1}, 4 * threads, arguments, &error);
	if (status != SLUICE_OK && !(status == SLUICE_BAD_LAUNCH && strstr(error.message, name)))
		FAIL("%s, launch %u: %s", stage, number, error.message);
}

static char *run(const struct pair_case *c, const struct way *way)
{
	static uint32_t in[KERNEL_IN], own[KERNEL_OWN * KERNEL_THREADS], meet[KERNEL_MEET];
	struct sluice_error error;
	sluice_module *module;
	uint64_t stream = c->seed;
	stage = way->name;
	sluice_gpu *gpu = machine_open_with(&c->machine, way->sleep, way->window,
	                                    (struct sluice_settings){SLUICE_SIZED(settings), .machine = NULL}, &error);
	if (!gpu)
		FAIL("%s", error.message);
	if (way->threads > 1)
		have_threads(gpu, way->threads);
	for (uint32_t i = 0; i < KERNEL_IN; i++)
		in[i] = (uint32_t)random_number(&stream) >> (i & 31);
	const uint64_t address[3] = {new_buffer(gpu, in, sizeof in), new_buffer(gpu, own, sizeof own),
	                             new_buffer(gpu, meet, sizeof meet)};
	if (sluice_load(gpu, c->text.text, c->text.length, "random.ptx", &module, &error) != SLUICE_OK)
		FAIL("%s", error.message);
	for (uint32_t i = 0; i < c->kernels; i++)
		launch(c, gpu, module, i, address);
	char *text = statistics(gpu);
	sluice_close(gpu);
	return text;
}

static void check_case(struct pair_case *c)
{
	current = c;
	print_current = print_case;
	alarm(PATIENCE);
	settle(&c->machine);
	char *first = run(c, &ways[0]);
	for (size_t i = 1; i < sizeof ways / sizeof *ways; i++) {
		char *text = run(c, &ways[i]);
		check_same(first, text);
		free(text);
	}
	free(first);
	alarm(0);
	print_current = NULL;
}

/* --- the test --- */

static uint32_t rounds;
static uint64_t first_seed = 1;
static struct pair only;

static void check_pair(struct pair_case *c, struct pair pair, uint64_t seed)
{
	if (rounds)
		fprintf(stderr, "%s %s %llu\n", pair.order->name, pair.other ? pair.other->name : "none",
		        (unsigned long long)seed);
	make_case(c, pair, seed);
	check_case(c);
}

/* The pair that once made a value on CAPS' page wrong; then others, far apart in the list. */
static void check_few(struct pair_case *c, const struct pair *pairs, uint32_t count)
{
	check_pair(c, (struct pair){find("pas"), find("cap")}, first_seed);
	for (uint32_t i = 0; i < FEW; i++)
		check_pair(c, pairs[(uint64_t)i * count / FEW + i % 3], first_seed + i);
}

static void pairs_in_a_row(void **state)
{
	static struct pair pairs[PAIRS];
	struct pair_case *c = malloc(sizeof *c);
	uint32_t count = all_pairs(pairs);
	(void)state;
	tell_ends();
	assert_non_null(c);
	if (only.order)
		check_pair(c, only, first_seed);
	else if (!rounds)
		check_few(c, pairs, count);
	for (uint32_t round = 0; !only.order && round < rounds; round++)
		for (uint32_t i = 0; i < count; i++)
			check_pair(c, pairs[i], first_seed + (uint64_t)round * count + i);
	free(c);
}

int main(int count, char **arguments)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_in_a_row)};
	if (count == 4) {
		only = (struct pair){find(arguments[1]), find(arguments[2])};
		first_seed = strtoull(arguments[3], NULL, 10);
	} else if (count > 1) {
		rounds = (uint32_t)strtoul(arguments[1], NULL, 10);
		first_seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
