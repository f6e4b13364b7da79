/* Writes Callgrind's format, for KCachegrind and callgrind_annotate: costs by source line, one function per kernel. */
#include "cli/profile/profile.h"

#include "base/file.h"
#include "cli/commands.h"

#include <errno.h>
#include <string.h>

/* Lines of one function are contiguous: same kernel, same function in it, same file. */
static bool is_new_function(const struct profile_site *site, const struct profile_site *before)
{
	return !before || strcmp(site->kernel, before->kernel) != 0 || site->function != before->function;
}

static void print_position(FILE *out, const struct profile_site *site, const struct profile_site *before)
{
	const char *file = site->file ? site->file : "???";
	if (is_new_function(site, before))
		fprintf(out, "\nfl=%s\nfn=%s\n", file, site->function ? site->function : site->kernel);
	else if (strcmp(file, before->file ? before->file : "???") != 0)
		fprintf(out, "fi=%s\n", file);
}

static void print_costs(FILE *out, const struct profile_site *site)
{
	const struct profile_costs *costs = &site->costs;
	fprintf(out, "%u %llu %llu %llu %llu %llu %llu", site->line, (unsigned long long)profile_costs_slots(costs),
	        (unsigned long long)costs->issues, (unsigned long long)costs->lanes,
	        (unsigned long long)profile_costs_lost(costs), (unsigned long long)costs->transactions,
	        (unsigned long long)costs->dram_bytes);
	for (size_t c = 0; c < SHOWN_CAUSES; c++)
		fprintf(out, " %llu", (unsigned long long)costs->lost[c]);
	fputc('\n', out);
}

/* Prints the program's command line on one line. */
static void print_program(const json_t *words, FILE *out)
{
	const json_t *word;
	size_t i;
	fputs("cmd:", out);
	json_array_foreach(words, i, word)
	{
		fputc(' ', out);
		for (const char *c = json_string_value(word); c && *c; c++)
			fputc(*c == '\n' ? ' ' : *c, out);
	}
	fputc('\n', out);
}

static void print_head(const json_t *program, FILE *out)
{
	fputs("# callgrind format\nversion: 1\ncreator: sluice\n", out);
	print_program(program, out);
	fputs("positions: line\n"
	      "event: Slots : slots of the schedulers, issued and lost\n"
	      "events: Slots Issues Lanes Lost Transactions DramBytes",
	      out);
#define X(name, shown) fputs(" " #name, out);
	PROFILE_SHOWN_CAUSES(X)
#undef X
	fputc('\n', out);
}

bool profile_callgrind(const struct profile_wish *wish)
{
	struct profile_data data;
	if (!profile_data_read(&data, wish->command, wish->word[1], wish->kernel, PROFILE_BY_INSTRUCTION))
		return false;
	struct file_new new;
	FILE *out = file_new_stream(&new, wish->output);
	if (out) {
		print_head(json_object_get(data.json, "program"), out);
		for (size_t i = 0; i < data.sites; i++) {
			print_position(out, &data.site[i], i ? &data.site[i - 1] : NULL);
			print_costs(out, &data.site[i]);
		}
	}
	profile_data_close(&data);
	if (out && file_new_finish(&new, out))
		return true;
	cli_error(wish->command, "cannot write %s: %s", wish->output, file_write_reason());
	return false;
}
