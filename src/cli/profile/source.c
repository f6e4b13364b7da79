#include "cli/profile/source.h"

#include "cli/commands.h"
#include "cli/profile/data.h"
#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Where the cycles went</title>\n"
	"<style>\n"
	":root{color-scheme:light dark;--ink:#1b1f24;--dim:#6a737d;--paper:#fff;--rule:#d8dee4;--heat:217,72,15}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#dfe3e8;--dim:#8b949e;--paper:#15181c;--rule:#343b43;--heat:255,"
	"140,66}}\n"
	"body{margin:1.5rem;background:var(--paper);color:var(--ink);font:14px/1.45 system-ui,sans-serif}\n"
	"h1{font-size:1.2rem;margin:0 0 .2rem}h2{font-size:1rem;margin:1.6rem 0 .4rem}p{margin:.2rem "
	"0;color:var(--dim)}\n"
	"table{border-collapse:collapse;font:12.5px/1.5 ui-monospace,monospace}\n"
	"th{position:sticky;top:0;background:var(--paper);text-align:right;font-weight:600;border-bottom:1px solid "
	"var(--rule)}\n"
	"th,td{padding:0 .6rem;white-space:pre;text-align:right}td.code,th.code,td.why,th.why{text-align:left}\n"
	"td.line{color:var(--dim)}table{tab-size:4}td.code{border-left:1px solid var(--rule)}\n"
	"</style></head><body>\n";

static void put_text(const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", stdout);
			break;
		case '>':
			fputs("&gt;", stdout);
			break;
		case '&':
			fputs("&amp;", stdout);
			break;
		default:
			putchar(*text);
		}
	}
}

static const struct profile_site *site_at(const struct profile_data *data, const char *file, uint32_t line)
{
	for (size_t i = 0; i < data->sites; i++)
		if (data->site[i].file && data->site[i].line == line && strcmp(data->site[i].file, file) == 0)
			return &data->site[i];
	return NULL;
}

static void print_cell(bool is_there, double value, int decimals)
{
	if (is_there)
		printf("<td>%.*f</td>", decimals, value);
	else
		fputs("<td></td>", stdout);
}

static void print_why(const struct profile_costs *costs)
{
	char why[PROFILE_WHY];
	profile_costs_why(costs, why);
	fputs("<td class=\"why\" title=\"", stdout);
	for (size_t c = 0; c < SHOWN_CAUSES; c++)
		if (costs->lost[c])
			printf("%s: %llu slots\n", profile_cause_names[c], (unsigned long long)costs->lost[c]);
	printf("\">%s</td>", why);
}

static double quotient(double part, uint64_t whole)
{
	return whole ? part / (double)whole : 0;
}

static void print_cells(const struct profile_costs *costs, uint64_t slots)
{
	double share = quotient((double)profile_costs_slots(costs), slots);
	printf("<td style=\"background:rgba(var(--heat),%.2f)\">%.1f</td><td>%llu</td>",
	       share > 0.5 ? 0.85 : 1.7 * share, 100 * share, (unsigned long long)costs->issues);
	print_cell(costs->issues, quotient((double)costs->lanes, costs->issues), 1);
	print_cell(costs->requests, quotient((double)costs->transactions, costs->requests), 1);
	print_cell(costs->shared, quotient((double)costs->bank_cycles, costs->shared), 1);
	print_cell(costs->l1_accesses, quotient(100 * (double)costs->l1_hits, costs->l1_accesses), 1);
	print_cell(costs->answers, quotient(costs->latency, costs->answers), 0);
	print_cell(costs->answers, costs->p95, 0);
	print_why(costs);
}

static void print_page_line(const struct profile_data *data, const char *file, uint32_t line, const char *text)
{
	const struct profile_site *site = site_at(data, file, line);
	printf("<tr><td class=\"line\">%u</td>", line);
	if (site)
		print_cells(&site->costs, data->slots);
	else
		fputs("<td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td>", stdout);
	fputs("<td class=\"code\">", stdout);
	put_text(text);
	fputs("</td></tr>\n", stdout);
}

static void print_line(const struct profile_data *data, const char *file, uint32_t line, const char *text)
{
	enum { WIDTH = 78 }; /* width of profile_print_costs() */
	const struct profile_site *site = site_at(data, file, line);
	if (site)
		profile_print_costs(&site->costs, data->slots, stdout);
	else
		printf("%*s", WIDTH, "");
	printf("|%5u  %s\n", line, text);
}

static bool print_file(const struct profile_data *data, const char *command, const char *name, const char *path,
                       bool html)
{
	char *text = NULL;
	size_t size = 0;
	uint32_t line = 0;
	FILE *file = file_open(path);
	if (!file) {
		cli_error(command, "cannot read %s: %s%s", path, file_reason(),
		          path == name ? "; if it was moved, give its new path after the profile" : "");
		return false;
	}
	for (ssize_t length; (length = getline(&text, &size, file)) >= 0;) {
		text[strcspn(text, "\r\n")] = '\0';
		(html ? print_page_line : print_line)(data, name, ++line, text);
	}
	free(text);
	fclose(file);
	return true;
}

static void print_file_head(const char *name, bool html)
{
	if (html) {
		fputs("<h2>", stdout);
		put_text(name);
		fputs("</h2>\n"
		      "<table><tr><th>line</th><th title=\"of all schedulers' slots: issued, or lost at the "
		      "line\">slots %</th><th>issues</th><th>lanes</th><th title=\"transactions per "
		      "request\">tr/rq</th><th title=\"cycles of shared memory's banks per request\">bank</th><th>L1 "
		      "%</th><th>latency</th><th>p95</th><th class=\"why\">mostly</th><th class=\"code\"></th></tr>\n",
		      stdout);
	} else {
		printf("%s\n", name);
		profile_print_heads(stdout);
		puts("| line");
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* True when a file name in the profile means the file named by the user. Its folder may differ, because it may have
 * been compiled elsewhere. */
static bool is_meant(const char *name, const char *source)
{
	char one[PATH_MAX], other[PATH_MAX];
	if (!source || strcmp(name, source) == 0)
		return true;
	if (realpath(name, one) && realpath(source, other))
		return strcmp(one, other) == 0;
	return strcmp(last_part(name), last_part(source)) == 0;
}

static bool is_first(const struct profile_data *data, size_t site)
{
	for (size_t i = 0; i < site; i++)
		if (data->site[i].file && strcmp(data->site[i].file, data->site[site].file) == 0)
			return false;
	return true;
}

/* Lists the paths in the profile. */
static void tell_known(const struct profile_data *data, const char *command, const char *source)
{
	char *known = NULL;
	size_t length = 0;
	FILE *list = open_memstream(&known, &length);
	if (!list)
		abort();
	for (size_t i = 0; i < data->sites; i++)
		if (data->site[i].file && is_first(data, i))
			fprintf(list, "%s%s", ftell(list) ? ", " : "", data->site[i].file);
	fclose(list);
	cli_error(command, "%s has no line of %s; it has lines of %s", data->path, source, *known ? known : "no file");
	free(known);
}

/* Prints the sources. Files that cannot be read are skipped, unless the user named them: headers of another machine,
 * for example. */
static bool print_files(const struct profile_data *data, const char *command, const char *source, bool html)
{
	size_t printed = 0;
	for (size_t i = 0; i < data->sites; i++) {
		const char *name = data->site[i].file;
		if (!name || !is_first(data, i) || !is_meant(name, source))
			continue;
		print_file_head(name, html);
		bool fine = print_file(data, command, name, source ? source : name, html);
		if (html)
			puts("</table>");
		if (!fine && source)
			return false;
		printed += fine;
	}
	if (!printed && source)
		tell_known(data, command, source);
	else if (!printed)
		cli_error(command,
		          "%s names no source that can be read here; the program's PTX may have no line numbers (nvcc "
		          "needs -lineinfo)",
		          data->path);
	return printed;
}

bool profile_source_print(const char *command, const char *profile, const char *source, bool html)
{
	struct profile_data data;
	if (!profile_data_read(&data, command, profile, NULL, PROFILE_BY_LINE))
		return false;
	if (html) {
		fputs(page_head, stdout);
		printf("<h1>Where the cycles went</h1>\n<p>%llu cycles of %llu launch%s; schedulers without a warp: "
		       "%.1f %% of the slots</p>\n",
		       (unsigned long long)data.cycles, (unsigned long long)data.launches,
		       data.launches == 1 ? "" : "es", 100 * quotient((double)data.idle, data.slots));
	}
	bool fine = print_files(&data, command, source, html);
	if (html)
		puts("</body></html>");
	profile_data_close(&data);
	return fine;
}
