/* trace_kit: writes an instruction trace and runs it on a machine. */
#ifndef SLUICE_TESTS_TRACE_KIT_H
#define SLUICE_TESTS_TRACE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/api.h"
#include "base/table.h"
#include "trace/trace.h"

/* A folder with a list of one kernel, whose text the test writes into `file`. */
struct trace_kit {
	char folder[64], path[96];
	FILE *file;
};

static inline void kit_write(const char *folder, const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void kit_open(struct trace_kit *kit)
{
	snprintf(kit->folder, sizeof kit->folder, "/tmp/sluice-test-XXXXXX");
	assert_non_null(mkdtemp(kit->folder));
	snprintf(kit->path, sizeof kit->path, "%s/kernel-1.traceg", kit->folder);
	kit_write(kit->folder, "kernelslist.g", "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\n");
	kit->file = fopen(kit->path, "w");
	assert_non_null(kit->file);
}

static inline void kit_header(struct trace_kit *kit, uint32_t version, uint32_t blocks, uint32_t threads)
{
	fprintf(kit->file,
	        "-kernel name = _Z4testv\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n"
	        "-shmem = 4096\n-nregs = 16\n-binary version = %u\n-cuda stream id = 0\n"
	        "-shmem base_addr = 0x00007f1000000000\n-local mem base_addr = 0x00007f2000000000\n"
	        "-nvbit version = 1.5\n-accelsim tracer version = 4\n-enable lineinfo = 0\n\n"
	        "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width ...\n\n",
	        blocks, threads, version);
}

static inline void kit_block(struct trace_kit *kit, uint32_t block)
{
	fprintf(kit->file, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", block);
}

static inline void kit_warp(struct trace_kit *kit, uint32_t warp, uint32_t instructions)
{
	fprintf(kit->file, "warp = %u\ninsts = %u\n", warp, instructions);
}

static inline void kit_end_block(struct trace_kit *kit)
{
	fputs("\n#END_TB\n\n", kit->file);
}

static inline void kit_close(struct trace_kit *kit)
{
	char path[128];
	if (kit->file)
		fclose(kit->file);
	unlink(kit->path);
	snprintf(path, sizeof path, "%s/kernelslist.g", kit->folder);
	unlink(path);
	rmdir(kit->folder);
}

/* Returns the counts of one launch of the kit's kernel. */
static inline struct record kit_run(struct trace_kit *kit, const struct sluice_settings *settings)
{
	struct sluice_error error = {0};
	sluice_gpu *gpu;
	if (kit->file)
		fclose(kit->file);
	kit->file = NULL;
	if (sluice_open(&gpu, settings, &error) != SLUICE_OK ||
	    sluice_run_trace(gpu, kit->folder, NULL, &error) != SLUICE_OK)
		fail_msg("%s", error.message);
	assert_int_equal(gpu->records.count, 1);
	struct record record = gpu->records.record[0]; /* its statistics; its pointers are valid as long as the gpu */
	sluice_close(gpu);
	return record;
}

static inline uint32_t kit_option(const char *machine, const char *name)
{
	sluice_gpu *gpu;
	const struct sluice_settings settings = {SLUICE_SIZED(settings), .machine = machine};
	assert_int_equal(sluice_open(&gpu, &settings, NULL), SLUICE_OK);
	const struct base_option *option = base_option_find(machine_options, machine_option_count, name);
	assert_non_null(option);
	uint32_t value = *(const uint32_t *)((const char *)&gpu->machine + option->offset);
	sluice_close(gpu);
	return value;
}

#endif
