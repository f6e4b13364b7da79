/* Fuzz target for machine files (YAML): the input is refused with a message, or gives a machine that survives writing
 * and reading unchanged. */
#include "base/config_file.h"
#include "fuzz_file.h"
#include "gpu/machine.h"

static bool read_machine(const char *path, struct machine *machine)
{
	struct diag diag = {0};
	static const char *const folders[] = {SOURCE_DIR "/machines", NULL};
	*machine = (struct machine){0};
	bool good = config_file_read_whole(path, folders, machine_options, machine_option_count, machine, &diag);
	if (good != (diag.errors == 0) || (!good && !diag.text))
		abort();
	diag_free(&diag);
	return good;
}

static char *text_of(const struct machine *machine, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	config_file_write(file, machine_options, machine_option_count, machine);
	fclose(file);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct machine machine, again;
	struct diag diag = {0};
	size_t length;
	int file = fuzz_file(data, size, path, sizeof path);
	if (read_machine(path, &machine) && machine_check(&machine, &diag)) {
		machine_derive(&machine);
		char *text = text_of(&machine, &length), second_path[64];
		int second = fuzz_file(text, length, second_path, sizeof second_path);
		if (!read_machine(second_path, &again)) {
			fprintf(stderr, "%s", text);
			abort();
		}
		close(second);
		free(text);
	}
	diag_free(&diag);
	close(file);
	return 0;
}
