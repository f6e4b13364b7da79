// Runs a script of NVTX calls and launches. Each line names the host thread that executes it; the lines run in order.
// Prints the return values of the calls. See test_ranges.py.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

__global__ void one(unsigned *data) { data[threadIdx.x] += 1; }
__global__ void two(unsigned *data) { data[threadIdx.x] *= 2; }

struct line {
	int thread;
	std::string call, form, domain, name;
};

static std::vector<line> script;
static std::map<std::string, nvtxRangeId_t> started;
static std::atomic<size_t> now{0};
static unsigned *data;

static nvtxEventAttributes_t attributes_of(const line &line, nvtxDomainHandle_t domain, const std::wstring &wide)
{
	nvtxEventAttributes_t attributes = {};
	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	if (line.form == "wide") {
		attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
		attributes.message.unicode = wide.c_str();
	} else if (line.form == "registered") {
		attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
		attributes.message.registered = nvtxDomainRegisterStringA(domain, line.name.c_str());
	} else {
		attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
		attributes.message.ascii = line.name.c_str();
	}
	return attributes;
}

static void execute(const line &line)
{
	bool in_domain = line.domain != "-";
	nvtxDomainHandle_t domain = in_domain ? nvtxDomainCreateA(line.domain.c_str()) : nullptr;
	std::wstring wide(line.name.begin(), line.name.end());
	nvtxEventAttributes_t attributes = attributes_of(line, domain, wide);
	const std::string key = line.domain + " " + line.name;
	if (line.call == "one" || line.call == "two") {
		(line.call == "one" ? one : two)<<<1, 32>>>(data);
		cudaDeviceSynchronize();
	} else if (line.call == "push") {
		printf("%d\n", in_domain              ? nvtxDomainRangePushEx(domain, &attributes)
		               : line.form == "plain" ? nvtxRangePushA(line.name.c_str())
		               : line.form == "wide"  ? nvtxRangePushW(wide.c_str())
		                                      : nvtxRangePushEx(&attributes));
	} else if (line.call == "pop") {
		printf("%d\n", in_domain ? nvtxDomainRangePop(domain) : nvtxRangePop());
	} else if (line.call == "start") {
		started[key] = in_domain              ? nvtxDomainRangeStartEx(domain, &attributes)
		               : line.form == "plain" ? nvtxRangeStartA(line.name.c_str())
		               : line.form == "wide"  ? nvtxRangeStartW(wide.c_str())
		                                      : nvtxRangeStartEx(&attributes);
	} else if (in_domain) {
		nvtxDomainRangeEnd(domain, started[key]);
	} else {
		nvtxRangeEnd(started[key]);
	}
}

static void run(int thread)
{
	for (size_t at; (at = now) < script.size();) {
		if (script[at].thread != thread) {
			std::this_thread::yield();
			continue;
		}
		execute(script[at]);
		now = at + 1;
	}
}

int main(int, char **argv)
{
	std::ifstream file(argv[1]);
	for (std::string text; std::getline(file, text);) {
		std::istringstream words(text);
		line line;
		words >> line.thread >> line.call >> line.form >> line.domain >> line.name;
		script.push_back(line);
	}
	if (cudaMalloc(&data, 32 * sizeof *data) != cudaSuccess)
		return 1;
	std::thread first(run, 0), second(run, 1);
	unsigned host[32];
	first.join();
	second.join();
	return cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess;
}
