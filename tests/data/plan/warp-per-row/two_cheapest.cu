// kernel=two_cheapest line=9 finding=KO101
#include <cstdio>

// the two lowest prices of every article
__global__ void two_cheapest(const int* prices, int2* lowest, int articles, int shops) {
	int a = threadIdx.x + blockDim.x * blockIdx.x;
	if (a >= articles) return;
	int low = 1 << 30, lower = 1 << 30;
	for (int s = 0; s < shops; s++) {
		int p = prices[a * shops + s];
		if (p < low) {
			if (p < lower) {
				low = lower;
				lower = p;
			} else {
				low = p;
			}
		}
	}
	lowest[a] = make_int2(lower, low);
}

int main() {
	const int articles = 300, shops = 70;
	int* prices;
	int2* lowest;
	cudaMallocManaged(&prices, articles * shops * sizeof(int));
	cudaMallocManaged(&lowest, articles * sizeof(int2));
	for (int i = 0; i < articles * shops; i++) prices[i] = i * 7919 % 47;
	two_cheapest<<<(articles + 127) / 128, 128>>>(prices, lowest, articles, shops);
	cudaDeviceSynchronize();
	for (int a = 0; a < articles; a++) {
		int one = 1 << 30, two = 1 << 30;
		for (int s = 0; s < shops; s++) {
			const int p = prices[a * shops + s];
			two = p < one ? one : p < two ? p : two;
			one = p < one ? p : one;
		}
		if (lowest[a].x != one || lowest[a].y != two) return printf("FAIL %d\n", a), 1;
	}
	return puts("PASS"), 0;
}
