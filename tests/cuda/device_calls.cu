// Protects device-side calls: printf, malloc, free and operator new. The test compares the printed output.
#include "check.h"

struct node {
	node *next;
	int value;
};

__global__ void print(const char *unused)
{
	(void)unused;
	printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
	if (threadIdx.x == 1)
		printf("%s %c %5.2f %llx %%\n", "text", 'c', 3.14159, 0x123456789abcull);
}

__global__ void build(int *sum)
{
	node *list = NULL;
	for (int i = 1; i <= 4; i++) {
		node *n = i & 1 ? (node *)malloc(sizeof(node)) : new node;
		n->next = list;
		n->value = i * (threadIdx.x + 1);
		list = n;
	}
	int total = 0;
	while (list) {
		node *next = list->next;
		total += list->value;
		free(list);
		list = next;
	}
	sum[threadIdx.x] = total;
}

int main()
{
	printf("before\n");
	print<<<1, 2>>>(NULL);
	SUCCEEDS(cudaDeviceSynchronize());
	int *sum, got[2];
	SUCCEEDS(cudaMalloc(&sum, sizeof got));
	build<<<1, 2>>>(sum);
	SUCCEEDS(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
	printf("after %d %d\n", got[0], got[1]);
	return finish();
}
