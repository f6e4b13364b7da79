/* Loads the runtime and makes this process its program, as --trace-in does: the plan's tensors are allocations of the
 * driver API, and its launches are launches of the driver API. So checks, journals and statistics work as for
 * programs. */
#include "cli/launch_plan/launch_plan.h"

#include "cli/kernel_ptx.h"
#include "cli/launch_plan/arguments.h"
#include "cli/launch_plan/tensor.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of the driver API that a plan needs. */
#define DRIVER(function)                                                                                               \
	function(cuInit) function(cuDevicePrimaryCtxRetain) function(cuCtxSetCurrent) function(cuModuleLoad)           \
		function(cuModuleGetFunction) function(cuFuncSetAttribute) function(cuMemAlloc_v2)                     \
			function(cuMemcpyHtoD_v2) function(cuMemcpyDtoH_v2) function(cuMemFree_v2)                     \
				function(cuLaunchKernelEx) function(cuCtxSynchronize) function(cuGetErrorName)

struct driver {
#define POINTER(name) __typeof__(name) *name;
	DRIVER(POINTER)
#undef POINTER
};

struct work {
	struct launch_plan plan;
	struct ptx_module *ptx;
	struct driver driver;
	CUmodule module;
	struct tensor *tensors;
	uint64_t *addresses; /* of each tensor on the device */
};

/* Sets the function pointers. Returns false after a message. */
static bool load_driver(struct driver *driver)
{
	void *library = run_load_runtime("sluice run");
	bool fine = library;
#define FIND(name) fine = fine && (*(void **)&driver->name = dlsym(library, #name));
	DRIVER(FIND)
#undef FIND
	if (library && !fine)
		cli_error("sluice run", "%s", dlerror());
	return fine;
}

/* Prints what failed. Returns true for success. */
static bool succeeded(const struct work *work, CUresult result, const char *what)
{
	const char *name = "an unknown error";
	if (result == CUDA_SUCCESS)
		return true;
	work->driver.cuGetErrorName(result, &name);
	cli_error("sluice run", "%s failed: %s", what, name);
	return false;
}

static bool open_device(struct work *work, const char *ptx)
{
	const struct driver *driver = &work->driver;
	CUcontext context;
	return succeeded(work, driver->cuInit(0), "the start of the machine") &&
	       succeeded(work, driver->cuDevicePrimaryCtxRetain(&context, 0), "the machine's context") &&
	       succeeded(work, driver->cuCtxSetCurrent(context), "the machine's context") &&
	       succeeded(work, driver->cuModuleLoad(&work->module, ptx), "loading the PTX");
}

static bool make_tensors(struct work *work)
{
	struct launch_plan *plan = &work->plan;
	bool fine = true;
	for (size_t i = 0; i < plan->tensor_count; i++)
		fine = tensor_make(plan, &plan->tensors[i], &work->tensors[i]) && fine;
	return fine;
}

static bool upload(struct work *work)
{
	bool fine = true;
	for (size_t i = 0; fine && i < work->plan.tensor_count; i++) {
		const struct tensor *tensor = &work->tensors[i];
		CUdeviceptr address = 0;
		fine = succeeded(work, work->driver.cuMemAlloc_v2(&address, tensor_bytes(tensor)),
		                 tensor->plan->name) &&
		       succeeded(work, work->driver.cuMemcpyHtoD_v2(address, tensor->data, tensor_bytes(tensor)),
		                 tensor->plan->name);
		work->addresses[i] = address;
	}
	return fine;
}

/* Copies back the tensors that the plan writes or compares. Returns the number of tensors that failed. */
static int finish_tensors(struct work *work)
{
	int failed = 0;
	for (size_t i = 0; i < work->plan.tensor_count; i++) {
		const struct tensor *tensor = &work->tensors[i];
		if (!tensor->plan->write && !tensor->plan->expect)
			continue;
		CUresult result = work->driver.cuMemcpyDtoH_v2(tensor->data, work->addresses[i], tensor_bytes(tensor));
		failed += !succeeded(work, result, tensor->plan->name) || !tensor_finish(&work->plan, tensor);
	}
	return failed;
}

static bool launch(struct work *work, const struct plan_launch *planned)
{
	struct launch_arguments launch;
	CUfunction function;
	if (!launch_arguments_make(&work->plan, planned, work->ptx, work->addresses, &launch))
		return false;
	CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
	                             .value.clusterDim = {launch.cluster[0], launch.cluster[1], launch.cluster[2]}};
	const CUlaunchConfig configuration = {.gridDimX = launch.grid[0],
	                                      .gridDimY = launch.grid[1],
	                                      .gridDimZ = launch.grid[2],
	                                      .blockDimX = launch.block[0],
	                                      .blockDimY = launch.block[1],
	                                      .blockDimZ = launch.block[2],
	                                      .sharedMemBytes = (unsigned)planned->shared,
	                                      .attrs = &cluster,
	                                      .numAttrs = planned->cluster.count ? 1 : 0};
	const struct driver *driver = &work->driver;
	const char *name = launch.kernel->name;
	bool fine = succeeded(work, driver->cuModuleGetFunction(&function, work->module, name), name);
	/* More than 48 KB need leave. Without it the launch itself fails, with the reason. */
	if (fine && planned->shared)
		driver->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
		                           (int)planned->shared);
	fine = fine &&
	       succeeded(work, driver->cuLaunchKernelEx(&configuration, function, launch.parameters, NULL), name) &&
	       succeeded(work, driver->cuCtxSynchronize(), name);
	launch_arguments_free(&launch);
	return fine;
}

static int run_work(struct work *work, const char *ptx)
{
	bool fine = load_driver(&work->driver) && open_device(work, ptx) && upload(work);
	for (size_t i = 0; fine && i < work->plan.launch_count; i++)
		fine = launch(work, &work->plan.launches[i]);
	int failed = fine ? finish_tensors(work) : 1;
	for (size_t i = 0; fine && i < work->plan.tensor_count; i++)
		work->driver.cuMemFree_v2(work->addresses[i]);
	return failed ? CLI_FAILED : EXIT_SUCCESS;
}

/* Reads the plan, the PTX and all tensors, so that a mistake is reported before anything runs. */
static int prepare(struct work *work, const char *ptx, const char *plan)
{
	if (!launch_plan_read(&work->plan, plan))
		return CLI_USAGE;
	int status = cli_read_ptx("sluice run", ptx, NULL, &work->ptx);
	if (status != 0)
		return status;
	work->tensors = base_calloc(work->plan.tensor_count + 1, sizeof *work->tensors);
	work->addresses = base_calloc(work->plan.tensor_count + 1, sizeof *work->addresses);
	bool fine = make_tensors(work);
	for (size_t i = 0; i < work->plan.launch_count; i++) {
		struct launch_arguments launch;
		if (!launch_arguments_make(&work->plan, &work->plan.launches[i], work->ptx, work->addresses, &launch))
			fine = false;
		else
			launch_arguments_free(&launch);
	}
	return fine ? EXIT_SUCCESS : CLI_USAGE;
}

int run_launch_plan(struct run *run, char *const *arguments, const char *ptx, const char *plan)
{
	struct work work = {0};
	run->program = arguments;
	bool fine = run_prepare(run);
	run_free(run);
	int status = fine ? prepare(&work, ptx, plan) : CLI_USAGE;
	if (status == EXIT_SUCCESS)
		status = run_work(&work, ptx);
	for (size_t i = 0; work.tensors && i < work.plan.tensor_count; i++)
		free(work.tensors[i].data);
	free(work.tensors);
	free(work.addresses);
	ptx_free(work.ptx);
	launch_plan_free(&work.plan);
	exit(status); /* the runtime still has to write statistics */
}
