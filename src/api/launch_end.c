/* How launches end: what their records keep, and the messages. */
#include "api/launch.h"

#include "simt/check.h"

#include <stdio.h>

enum sluice_status launch_report_fault(const struct simt_launch *launch, const struct simt_fault *fault,
                                       struct sluice_error *error)
{
	static const enum sluice_fault faults[] = {
		[SIMT_FAULT_ADDRESS] = SLUICE_FAULT_ADDRESS,
		[SIMT_FAULT_MISALIGNED] = SLUICE_FAULT_MISALIGNED,
		[SIMT_FAULT_RANGE] = SLUICE_FAULT_RANGE,
		[SIMT_FAULT_BARRIER] = SLUICE_FAULT_BARRIER,
		[SIMT_FAULT_COUNTS] = SLUICE_FAULT_BARRIER,
		[SIMT_FAULT_DIVERGED] = SLUICE_FAULT_BARRIER,
		[SIMT_FAULT_FREE] = SLUICE_FAULT_RANGE,
		[SIMT_FAULT_CALL] = SLUICE_FAULT_CALL,
		[SIMT_FAULT_INSTRUCTION] = SLUICE_FAULT_INSTRUCTION,
		[SIMT_FAULT_STACK] = SLUICE_FAULT_STACK,
		[SIMT_FAULT_TRAP] = SLUICE_FAULT_TRAP,
		[SIMT_FAULT_ASSERT] = SLUICE_FAULT_ASSERT,
		[SIMT_FAULT_DMA] = SLUICE_FAULT_INSTRUCTION,
		[SIMT_FAULT_MECHANISM] = SLUICE_FAULT_MECHANISM,
	};
	char text[4096];
	simt_fault_print(launch, fault, text, sizeof text);
	api_fail(error, SLUICE_FAULT, "%s%s", text,
	         simt_fault_strays(launch, fault) ? "\n  many GPUs do not report such a read; with 'sluice run "
	                                            "--stray-reads=warn' it returns 0 and the kernel continues"
	                                          : "");
	if (error)
		error->fault = faults[fault->kind];
	return SLUICE_FAULT;
}

void launch_set_end(const sluice_gpu *gpu, struct record *record, enum gpu_end end)
{
	record->end = end;
	if (end == GPU_STOPPED)
		record->stopped_by = gpu->stop               ? gpu->stop_cause
		                     : gpu->max_instructions ? "limit of instructions"
		                                             : "end of a kernel that ran with it";
}

void launch_keep_counters(sluice_gpu *gpu, sluice_kernel *kernel, uint64_t launch, struct record *record)
{
	unit_totals_add(&gpu->unit_totals, gpu->gpu, launch);
	units_store(&gpu->records, record);
	api_record_mechanisms(gpu, kernel, 0, record);
}

void launch_keep_times(const sluice_gpu *gpu, const struct gpu_run *run, struct record *record)
{
	launch_set_end(gpu, record, run->end);
	record->started = run->started;
	record->first_block = run->first_block;
	record->cycles = run->cycles;
	record->blocks_per_sm = run->blocks_limit;
}

enum sluice_status launch_report_stop(const sluice_gpu *gpu, const struct simt_launch *launch,
                                      const struct simt_polls *found, const struct record *record,
                                      struct sluice_error *error)
{
	char where[48] = "", polls[2048];
	simt_polls_print(launch, found, polls, sizeof polls);
	if (gpu->stop || !gpu->max_instructions)
		return api_fail(error, SLUICE_STOPPED, "kernel %s stopped before its end (%s)%s", record->kernel,
		                record->stopped_by, polls);
	if (!record->functional)
		snprintf(where, sizeof where, " at cycle %llu", (unsigned long long)record->cycles);
	return api_fail(
		error, SLUICE_STOPPED,
		"kernel %s (launch %llu) stopped%s: the run has executed %llu thread instructions; its limit is %llu%s",
		record->kernel, (unsigned long long)record->launch, where,
		(unsigned long long)(gpu->instructions + record->stats.sm.thread_instructions),
		(unsigned long long)gpu->max_instructions, polls);
}

enum sluice_status launch_report_livelock(const sluice_gpu *gpu, const struct simt_launch *launch,
                                          const struct simt_polls *found, const struct record *record,
                                          struct sluice_error *error)
{
	char polls[2048];
	simt_polls_print(launch, found, polls, sizeof polls);
	return api_fail(
		error, SLUICE_STALLED,
		"kernel %s stalled at cycle %llu: for %u cycles (launch.livelock) %s have only polled locations "
		"that none of them writes%s",
		record->kernel, (unsigned long long)record->cycles, gpu->machine.livelock,
		found->starved ? "the warps that issue" : "its warps", polls);
}
