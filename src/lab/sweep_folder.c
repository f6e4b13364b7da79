#include "lab/sweep_folder.h"

#include "base/arena.h"
#include "base/diag.h"
#include "base/file.h"
#include "lab/run_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void sweep_id(const struct run_config *config, char id[SWEEP_ID])
{
	const char *const texts[] = {config->program, config->variant,     config->size,       config->arguments,
	                             config->machine, config->options,     config->mechanisms, config->library,
	                             config->binary,  config->description, config->inputs};
	uint64_t digest = 0xcbf29ce484222325u ^ config->seed;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		for (const char *c = texts[i];; c++) { /* FNV-1a, with the NUL between texts */
			digest = (digest ^ (unsigned char)*c) * 0x100000001b3u;
			if (!*c)
				break;
		}
	snprintf(id, SWEEP_ID, "%016llx", (unsigned long long)digest);
}

void sweep_path(char path[PATH_MAX], const char *folder, const char *part, const char *id)
{
	int length = snprintf(path, PATH_MAX, "%s/%s%s%s", folder, part, *id ? "/" : "", id);
	if (length >= PATH_MAX)
		path[0] = '\0'; /* which opens nothing */
}

static bool make_folder(const char *path)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/* Creates the folder and those above it. */
static bool make_way(const char *path)
{
	char part[PATH_MAX];
	if (snprintf(part, sizeof part, "%s", path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!make_folder(part))
			return false;
		*slash = '/';
	}
	return make_folder(part);
}

static bool make_parts(const char *folder)
{
	static const char *const parts[] = {"progress", "records", "done", "out", "journals"};
	char path[PATH_MAX];
	if (!make_way(folder))
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		sweep_path(path, folder, parts[i], "");
		if (!make_folder(path))
			return false;
	}
	return true;
}

bool sweep_folder_open(struct sweep_folder *folder, const char *path, const char *command)
{
	char lock[PATH_MAX];
	*folder = (struct sweep_folder){.path = path, .lock = -1};
	sweep_path(lock, path, "lock", "");
	if (make_parts(path))
		folder->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (folder->lock < 0) {
		diag_say(command, "cannot make the sweep's folder %s: %s", path, strerror(errno));
		return false;
	}
	if (flock(folder->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	diag_say(command, "another sluice works on %s; 'sluice sweep status %s' shows its progress", path, path);
	sweep_folder_close(folder);
	return false;
}

void sweep_folder_close(struct sweep_folder *folder)
{
	if (folder->lock >= 0)
		close(folder->lock);
	folder->lock = -1;
}

bool sweep_folder_is_at_work(const char *path)
{
	char lock[PATH_MAX];
	sweep_path(lock, path, "lock", "");
	int file = open(lock, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return false;
	bool held = flock(file, LOCK_EX | LOCK_NB) != 0;
	close(file);
	return held;
}

struct sweep_list {
	struct file_new new;
	FILE *file;
};

static void write_line(struct sweep_list *list, json_t *json)
{
	char *line = run_record_stats(json);
	fprintf(list->file, "%s\n", line);
	free(line);
	json_decref(json);
}

struct sweep_list *sweep_list_begin(const char *folder, const struct sweep_head *head)
{
	char path[PATH_MAX];
	struct sweep_list *list = base_calloc(1, sizeof *list);
	sweep_path(path, folder, "runs", "");
	list->file = file_new_stream(&list->new, path);
	if (!list->file) {
		free(list);
		return NULL;
	}
	write_line(list,
	           json_pack("{s:i, s:s, s:s, s:s, s:I, s:f, s:I, s:I}", "sweep", 1, "results", head->results, "engine",
	                     head->engine, "host", head->host, "pid", (json_int_t)head->pid, "started", head->started,
	                     "runs", (json_int_t)head->runs, "parallel", (json_int_t)head->parallel));
	return list;
}

void sweep_list_add(struct sweep_list *list, const struct sweep_run *run)
{
	json_t *json = run_record_config_json(&run->config);
	json_object_set_new(json, "id", json_string(run->id));
	json_object_set_new(json, "seconds", json_real(run->expected.seconds));
	json_object_set_new(json, "peak", json_integer((json_int_t)run->expected.peak));
	write_line(list, json);
}

bool sweep_list_end(struct sweep_list *list)
{
	bool fine = file_new_finish(&list->new, list->file);
	free(list);
	return fine;
}

static bool read_head(const json_t *json, struct sweep_head *head)
{
	const char *results = json_string_value(json_object_get(json, "results"));
	const char *engine = json_string_value(json_object_get(json, "engine"));
	const char *host = json_string_value(json_object_get(json, "host"));
	*head = (struct sweep_head){.pid = (long)json_integer_value(json_object_get(json, "pid")),
	                            .started = json_number_value(json_object_get(json, "started")),
	                            .runs = (size_t)json_integer_value(json_object_get(json, "runs")),
	                            .parallel = (size_t)json_integer_value(json_object_get(json, "parallel"))};
	if (!json_object_get(json, "sweep") || !results || !engine || !host)
		return false;
	snprintf(head->results, sizeof head->results, "%s", results);
	snprintf(head->host, sizeof head->host, "%s", host);
	head->engine = strcmp(engine, "slurm") == 0 ? "slurm" : "local";
	return true;
}

static bool read_run(const json_t *json, struct sweep_run *run)
{
	const char *id = json_string_value(json_object_get(json, "id"));
	*run = (struct sweep_run){.expected = {json_number_value(json_object_get(json, "seconds")),
	                                       (uint64_t)json_integer_value(json_object_get(json, "peak"))}};
	if (!id || strlen(id) != SWEEP_ID - 1 || !run_record_config_read(json, &run->config))
		return false;
	memcpy(run->id, id, SWEEP_ID);
	return true;
}

bool sweep_list_each(const char *folder, const char *command, struct sweep_head *head,
                     void (*row)(void *context, const struct sweep_run *run), void *context)
{
	char path[PATH_MAX];
	size_t length, number = 1;
	sweep_path(path, folder, "runs", "");
	char *text = file_read(path, &length);
	if (!text) {
		diag_say(command, "no sweep in %s: cannot read %s: %s", folder, path, file_reason());
		return false;
	}
	bool fine = true;
	for (const char *line = text; *line && fine; number++) {
		size_t bytes = strcspn(line, "\n");
		json_t *json = json_loadb(line, bytes, 0, NULL);
		struct sweep_run run;
		fine = number == 1 ? read_head(json, head) : read_run(json, &run);
		if (fine && number > 1 && row)
			row(context, &run);
		json_decref(json);
		line += bytes + (line[bytes] == '\n');
	}
	fine = fine && number > 1;
	if (!fine)
		diag_say(command,
		         "%s:%zu: not a line that a sweep writes; start the sweep again, which rewrites the file", path,
		         number - (number > 1));
	free(text);
	return fine;
}

void sweep_progress_begin(const char *path)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file >= 0)
		close(file);
}

bool sweep_progress_read(const char *folder, const char *id, struct sweep_progress *progress)
{
	char path[PATH_MAX], line[256] = "";
	sweep_path(path, folder, "progress", id);
	*progress = (struct sweep_progress){0};
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t got = read(file, line, sizeof line - 1);
	close(file);
	if (got > 0 && sscanf(line, "%llu %llu %llu %llu %95s", &progress->kernel, &progress->blocks_done,
	                      &progress->blocks, &progress->cycle, progress->name) < 4)
		*progress = (struct sweep_progress){0};
	return true;
}

bool sweep_is_canceled(const char *folder)
{
	char path[PATH_MAX];
	sweep_path(path, folder, "canceled", "");
	return access(path, F_OK) == 0;
}
