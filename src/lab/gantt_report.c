/* A timeline as a table on the terminal, with sums per kind of event, and as CSV. */
#include "lab/report.h"
#include "lab/gantt.h"

#include "base/csv.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LINES = 60 }; /* of a panel on the terminal */

static size_t lane_width(const struct gantt_panel *panel)
{
	size_t width = strlen("track");
	for (size_t i = 0; i < panel->lane_count; i++)
		width = strlen(panel->lanes[i].name) > width ? strlen(panel->lanes[i].name) : width;
	return width;
}

static size_t series_width(const struct gantt *gantt)
{
	size_t width = strlen("event");
	for (size_t s = 0; s < gantt->series_count; s++)
		width = strlen(gantt->series[s]) > width ? strlen(gantt->series[s]) : width;
	return width;
}

static void print_bars(const struct gantt *gantt, const struct gantt_panel *panel, FILE *file)
{
	int lanes = (int)lane_width(panel), series = (int)series_width(gantt);
	fprintf(file, "%-*s %8s  %-*s %10s %10s %10s\n", lanes, "track", "block", series, "event", "begin", "end",
	        "cycles");
	for (size_t i = 0; i < panel->bar_count && i < MOST_LINES; i++) {
		const struct gantt_bar *bar = &panel->bars[i];
		char block[24] = "-";
		if (bar->block != GANTT_NO_BLOCK)
			snprintf(block, sizeof block, "%" PRIu64, bar->block);
		fprintf(file, "%-*s %8s  %-*s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 "\n", lanes,
		        panel->lanes[bar->lane].name, block, series, gantt->series[bar->series], bar->begin, bar->end,
		        bar->end - bar->begin);
	}
	if (panel->bar_count > MOST_LINES)
		fprintf(file, "... and %zu more in the CSV file\n", panel->bar_count - MOST_LINES);
}

/* Returns the number of shown cycles with at least one event of the series in progress; bars are sorted by begin. */
static uint64_t covered(const struct gantt *gantt, const struct gantt_panel *panel, size_t series)
{
	uint64_t sum = 0, until = 0;
	for (size_t i = 0; i < panel->bar_count; i++) {
		const struct gantt_bar *bar = &panel->bars[i];
		uint64_t begin = bar->begin > until ? bar->begin : until;
		uint64_t end = bar->begin + gantt_shown(gantt, bar);
		if (bar->series != series || end <= begin)
			continue;
		sum += end - begin;
		until = end;
	}
	return sum;
}

static void print_sums(const struct gantt *gantt, const struct gantt_panel *panel, FILE *file)
{
	int width = (int)series_width(gantt);
	fprintf(file, "%-*s %10s %10s %10s %10s\n", width, "event", "times", "cycles", "mean", "any");
	for (size_t s = 0; s < gantt->series_count; s++) {
		uint64_t count = 0, cycles = 0;
		for (size_t i = 0; i < panel->bar_count; i++)
			if (panel->bars[i].series == s) {
				count++;
				cycles += gantt_shown(gantt, &panel->bars[i]);
			}
		fprintf(file, "%-*s %10" PRIu64 " %10" PRIu64 " %10.1f %10" PRIu64 "\n", width, gantt->series[s], count,
		        cycles, count ? (double)cycles / (double)count : 0.0, covered(gantt, panel, s));
	}
}

void gantt_table(const struct gantt *gantt, FILE *file)
{
	const struct experiment *experiment = gantt->plan->experiment;
	report_title(experiment, file);
	if (experiment_has_size(experiment))
		fprintf(file, "size %s; ", gantt->plan->source->size);
	fprintf(file, "SM %" PRIu64 ", core cycles 0 to %" PRIu64 " of a kernel\n", experiment->sm, gantt->end);
	for (size_t p = 0; p < gantt->panel_count; p++) {
		const struct gantt_panel *panel = &gantt->panels[p];
		fprintf(file, "\n%s: %s, launch %u, %" PRIu64 " cycles\n", panel->title, panel->kernel, panel->launch,
		        panel->cycles);
		print_bars(gantt, panel, file);
		fprintf(file, "\n%s: cycles of the events shown, and cycles with at least one such event\n",
		        panel->title);
		print_sums(gantt, panel, file);
	}
	if (experiment->note) {
		fputc('\n', file);
		report_text(experiment->note, file);
	}
}

void gantt_csv(const struct gantt *gantt, FILE *file)
{
	const struct experiment *experiment = gantt->plan->experiment;
	fputs("row,column,kernel,launch,sm,track,block,event,begin,end,cycles\n", file);
	for (size_t p = 0; p < gantt->panel_count; p++) {
		const struct gantt_panel *panel = &gantt->panels[p];
		for (size_t i = 0; i < panel->bar_count; i++) {
			const struct gantt_bar *bar = &panel->bars[i];
			csv_text(experiment->rows[panel->row].name, file);
			fputc(',', file);
			csv_text(experiment->columns[panel->column].name, file);
			fputc(',', file);
			csv_text(panel->kernel, file);
			fprintf(file, ",%u,%" PRIu64 ",", panel->launch, experiment->sm);
			csv_text(panel->lanes[bar->lane].name, file);
			fputc(',', file);
			if (bar->block != GANTT_NO_BLOCK)
				fprintf(file, "%" PRIu64, bar->block);
			fprintf(file, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", gantt->series[bar->series],
			        bar->begin, bar->end, bar->end - bar->begin);
		}
	}
}
