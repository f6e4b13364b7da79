/* Fuzz target for GPGPU-Sim's configurations: the input is refused with a message, or gives a machine whose keys are in
 * their ranges. */
#include "gpgpusim/config.h"
#include "base/config_file.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const folders[] = {SOURCE_DIR "/machines", NULL};
	static struct machine whole;
	char path[64];
	struct gpgpusim_options options;
	struct diag diag = {0};
	if (!whole.sms && !config_file_read_whole(SOURCE_DIR "/machines/gtx480.yaml", folders, machine_options,
	                                          machine_option_count, &whole, &diag))
		abort();
	struct machine machine = whole;
	int file = fuzz_file(data, size, path, sizeof path);
	bool good = gpgpusim_config_read(path, &machine, &options, &diag);
	if (good != (diag.errors == 0) || (options.others == 0) != (options.list == NULL))
		abort();
	if (good && machine_check(&machine, &diag))
		machine_derive(&machine);
	free(options.list);
	diag_free(&diag);
	close(file);
	return 0;
}
