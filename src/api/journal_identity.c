/* journal_identity: what makes a launch the same as one in the journal. */
#include "api/journal.h"

#include "base/arena.h"
#include "base/file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* --- the setup --- */

/* Adds the file with the code at `code`: a rebuilt simulator or mechanism may behave differently. */
static void add_object(struct digest *digest, const void *code)
{
	Dl_info info;
	size_t length = 0;
	char *bytes = dladdr(code, &info) ? file_read(info.dli_fname, &length) : NULL;
	if (!bytes) /* the library is part of the program, which was started by a relative path */
		bytes = file_read("/proc/self/exe", &length);
	if (bytes)
		digest_add(digest, bytes, length);
	free(bytes);
}

/* True for a built-in mechanism: it lies in the simulator's own file. */
static bool is_ours(const void *code)
{
	Dl_info own, other;
	return dladdr(journal_setup_names, &own) && dladdr(code, &other) && own.dli_fbase == other.dli_fbase;
}

static void add_configuration(struct digest *digest, const struct machine *machine)
{
	json_t *configuration = records_configuration(machine);
	char *text = json_dumps(configuration, JSON_SORT_KEYS | JSON_COMPACT);
	digest_add_text(digest, text ? text : "");
	free(text);
	json_decref(configuration);
}

static void add_mechanism(struct digest *digest, const struct seam_attached *attached)
{
	const struct mech *mech = attached->mech;
	digest_add_text(digest, mech->name);
	if (!is_ours(mech))
		add_object(digest, mech);
	for (size_t i = 0; i < mech->option_count; i++) {
		char value[BASE_OPTION_TEXT_SIZE];
		base_option_print(&mech->options[i], attached->config, value, sizeof value);
		digest_add_text(digest, value);
	}
}

static void add_options(struct digest *digest, const sluice_gpu *gpu)
{
	const struct words *options = &gpu->records.options, *passes = &gpu->passes.named;
	bool may_stray = gpu->stray_read != NULL;
	for (size_t i = 0; i < options->count; i++)
		if (strncmp(options->word[i], "kernel.", 7) == 0)
			digest_add_text(digest, options->word[i]);
	for (size_t i = 0; i < passes->count; i++)
		digest_add_text(digest, passes->word[i]);
	digest_add_value(digest, may_stray);
}

struct journal_setup journal_setup_of(const sluice_gpu *gpu)
{
	struct journal_setup setup = {0};
	digest_add_text(&setup.part[0], SLUICE_VERSION);
	add_object(&setup.part[0], journal_setup_names);
	add_configuration(&setup.part[1], &gpu->machine);
	for (uint32_t i = 0; i < gpu->attachments.count; i++)
		add_mechanism(&setup.part[2], &gpu->attachments.list[i]);
	add_options(&setup.part[3], gpu);
	return setup;
}

/* --- launches --- */

static void add_shape(struct digest *digest, const struct launch *launch)
{
	const struct launch_request *request = &launch->checked.request;
	const sluice_gpu *gpu = launch->gpu;
	uint64_t number = launch->number;
	bool l1_may_be_stale = gpu->sampling.skipped;
	digest_add_value(digest, request->grid);
	digest_add_value(digest, request->block);
	digest_add_value(digest, request->dynamic_shared_bytes);
	digest_add_value(digest, request->cooperative);
	digest_add_value(digest, request->depth);
	digest_add_value(digest, request->carve_out);
	digest_add_value(digest, number);
	digest_add_value(digest, gpu->functional_launches);
	digest_add_value(digest, l1_may_be_stale);
	digest_add_value(digest, gpu->announced.used);
	for (uint32_t i = 0; i < gpu->announced.count; i++)
		digest_add_value(digest, gpu->announced.range[i]);
}

/* Member by member: the bytes between them are undefined. */
static void add_texture(struct digest *digest, const struct texture *texture)
{
	const struct texture_image *image = &texture->image;
	const struct texture_sampler *sampler = &texture->sampler;
	const uint64_t of_image[] = {texture->is_bound, image->address,  image->width,    image->height,
	                             image->depth,      image->layers,   image->levels,   image->dimensions,
	                             image->is_cube,    image->is_tiled, image->channels, image->channel_bytes,
	                             image->channel,    image->pitch};
	const uint8_t of_sampler[] = {sampler->outside[0], sampler->outside[1],    sampler->outside[2],
	                              sampler->is_linear,  sampler->is_normalized, sampler->reads_floats,
	                              sampler->is_srgb};
	const float levels[] = {sampler->level_bias, sampler->lowest_level, sampler->highest_level};
	digest_add_value(digest, of_image);
	digest_add_value(digest, of_sampler);
	digest_add_value(digest, sampler->border);
	digest_add_value(digest, levels);
}

static void add_textures(struct digest *digest, const struct textures *textures)
{
	for (uint32_t i = 0; i < textures->count; i++)
		if (textures->texture[i]->is_used)
			add_texture(digest, textures->texture[i]);
}

void journal_identify(const struct journal *journal, const struct launch *launch, struct journal_identity *identity)
{
	const sluice_kernel *kernel = launch->checked.kernel;
	*identity = (struct journal_identity){.before = journal->history, .code = kernel->module->code};
	snprintf(identity->kernel, sizeof identity->kernel, "%s", launch->gpu->records.record[launch->number].shown);
	digest_add_text(&identity->code, kernel->function->name);
	add_shape(&identity->shape, launch);
	digest_add(&identity->arguments, launch->params, kernel->program->param_bytes);
	identity->memory = journal->before.all;
	add_textures(&identity->memory, &launch->gpu->textures);
}

const char *journal_difference(const struct journal_identity *one, const struct journal_identity *other)
{
	const struct {
		const struct digest *one, *other;
		const char *text;
	} part[] = {{&one->before, &other->before, "a launch before it differs"},
	            {&one->code, &other->code, "its code differs"},
	            {&one->shape, &other->shape, "its number, grid, block or shared memory differs"},
	            {&one->arguments, &other->arguments, "its arguments differ"},
	            {&one->memory, &other->memory, "the memory before it differs"}};
	if (strncmp(one->kernel, other->kernel, sizeof one->kernel) != 0)
		return "it is another kernel";
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (!digest_is_same(part[i].one, part[i].other))
			return part[i].text;
	return NULL;
}
