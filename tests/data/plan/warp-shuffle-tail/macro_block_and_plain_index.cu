// kernel=block_sum line=10 finding=KO115
#include <cstdio>
#define BLOCK 128

__global__ void block_sum(double *out, const double *in, int n) {
	__shared__ double partial[BLOCK];
	const int i = blockIdx.x*BLOCK+threadIdx.x;
	partial[threadIdx.x] = i < n ? in[i] : 0.0;
	__syncthreads();
	for (int stride = BLOCK/2; stride; stride = stride/2) {
		if (threadIdx.x < stride)
			partial[threadIdx.x] = partial[threadIdx.x]+partial[threadIdx.x+stride];
		__syncthreads();
	}
	if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

int main() {
    const int n = 1000;
    double *in, *out;
    cudaMallocManaged(&in, n * sizeof(double));
    cudaMallocManaged(&out, 8 * sizeof(double));
    for (int i = 0; i < n; ++i) in[i] = i % 5;
    block_sum<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(out, in, n);
    cudaDeviceSynchronize();
    double total = 0;
    for (int b = 0; b < (n + BLOCK - 1) / BLOCK; ++b) total += out[b];
    return puts(total == 2000 ? "PASS" : "FAIL"), total != 2000;
}
