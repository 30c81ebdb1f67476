// kernel=cheapest line=13 finding=KO101
#include <stdio.h>
#include <stdlib.h>

#define KEPT 4

/* the four lowest prices of every article, the lowest first */
__global__ void cheapest(const int *prices, int *lowest, int articles, int shops)
{
	int a = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;
	if (a >= articles) return;
	int low[KEPT] = {2147483647, 2147483647, 2147483647, 2147483647};
	for (int s = lane; s < shops; s += 32) {
		int price = prices[a * shops + s];
		if (price >= low[KEPT - 1]) continue;
		low[KEPT - 1] = price;
		for (int k = KEPT - 1; k > 0; k--) {
			if (low[k] >= low[k - 1]) break;
			int t = low[k];
			low[k] = low[k - 1];
			low[k - 1] = t;
		}
	}
	// the lanes' lists become one
	#pragma unroll
	for (int place = 0; place < KEPT; place++) {
		int first_low = low[place];
		for (int offset = 16; offset > 0; offset /= 2)
			first_low = min(first_low, __shfl_xor_sync(0xffffffff, first_low, offset));
		const int owner = __ffs(__ballot_sync(0xffffffff, low[place] == first_low)) - 1;
		if (lane != owner) {
			#pragma unroll
			for (int i = KEPT - 1; i > place; i--)
				low[i] = low[i - 1];
			low[place] = first_low;
		}
	}
	if (lane == 0) {
		for (int k = 0; k < KEPT; k++)
			lowest[a * KEPT + k] = low[k];
	}
}

static int by_price(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return x < y ? -1 : x > y;
}

int main(void)
{
	const int articles = 300, shops = 90;
	int *prices, *lowest;
	cudaMallocManaged((void **)&prices, articles * shops * sizeof(int));
	cudaMallocManaged((void **)&lowest, articles * KEPT * sizeof(int));
	for (int i = 0; i < articles * shops; i++) prices[i] = 100 + i * 7919 % 503;
	cheapest<<<(articles + 3) / 4, 128>>>(prices, lowest, articles, shops);
	cudaDeviceSynchronize();
	for (int a = 0; a < articles; a++) {
		qsort(prices + a * shops, shops, sizeof(int), by_price);
		for (int k = 0; k < KEPT; k++)
			if (lowest[a * KEPT + k] != prices[a * shops + k]) { printf("FAIL %d\n", a); return 1; }
	}
	puts("PASS");
	return 0;
}
