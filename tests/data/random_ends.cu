// One process that ends in a way, and at a moment, drawn from a seed: random_ends SEED. Its threads launch kernels into streams,
// its forked children end in ways of their own. It prints how it will end.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, LONGEST = 30000 /* microseconds until the end */ };

struct draws {
	unsigned long long state;
	unsigned draw(unsigned limit)
	{
		state = state * 6364136223846793005ull + 1442695040888963407ull;
		return (unsigned)(state >> 33) % limit;
	}
};

__global__ void count(int *p, int rounds)
{
	for (int k = 0; k < rounds; k++)
		p[blockIdx.x * blockDim.x + threadIdx.x] += k;
}

static void use(draws *random)
{
	int *p, value;
	cudaStream_t stream;
	if (cudaMalloc(&p, 4096) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess)
		return;
	count<<<1 + random->draw(4), 64, 0, stream>>>(p, random->draw(40));
	if (random->draw(2))
		cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, stream);
	if (random->draw(2))
		cudaStreamSynchronize(stream);
	cudaStreamDestroy(stream);
	cudaFree(p);
}

static void *use_often(void *argument)
{
	draws random = {(unsigned long long)argument};
	for (unsigned rounds = 1 + random.draw(20); rounds; rounds--)
		use(&random);
	return NULL;
}

static void *end_by_exit(void *)
{
	exit(4);
}

static void fork_child(draws *random)
{
	if (fork())
		return;
	alarm(20);
	usleep(random->draw(3000));
	switch (random->draw(6)) {
	case 0:
		execlp("true", "true", (char *)NULL);
	case 1:
		_exit(6);
	case 2:
		use(random);
		exit(6);
	case 3:
		raise(SIGTERM);
	case 4:
		use(random);
		_exit(6);
	default:
		exit(6);
	}
}

// As the statistics say it, and what only the program knows.
static const char *const ends[] = {"exit 3",   "exit 2",    "_exit 5",  "signal 6", "signal 15", "signal 2",
                                   "signal 11", "signal 9", "exit 0", "exit 4",   "fault, exit 1"};
enum { ENDS = sizeof ends / sizeof *ends };

static int end(unsigned way, int *device)
{
	pthread_t thread;
	switch (way) {
	case 0:
		exit(3);
	case 2:
		_exit(5);
	case 3:
		abort();
	case 4:
		kill(getpid(), SIGTERM);
		break;
	case 5:
		raise(SIGINT);
		break;
	case 6:
		*(volatile int *)device = 1;
		break;
	case 7:
		raise(SIGKILL);
		break;
	case 8:
		pthread_exit(NULL);
	case 9:
		pthread_create(&thread, NULL, end_by_exit, NULL);
		pause();
		break;
	case 10:
		count<<<1, 1>>>((int *)8, 1);
		exit(0);
	}
	return 2;
}

int main(int, char **argv)
{
	draws random = {strtoull(argv[1], NULL, 10)};
	pthread_t thread;
	int *device = NULL;
	unsigned way = random.draw(ENDS);
	puts(ends[way]);
	fflush(stdout);
	cudaMalloc(&device, 64);
	for (unsigned k = random.draw(THREADS + 1); k; k--)
		pthread_create(&thread, NULL, use_often, (void *)(unsigned long long)random.draw(1 << 30));
	for (unsigned k = random.draw(3); k; k--) {
		usleep(random.draw(LONGEST / 4));
		fork_child(&random);
	}
	if (random.draw(2))
		use(&random);
	usleep(random.draw(LONGEST));
	return end(way, device);
}
