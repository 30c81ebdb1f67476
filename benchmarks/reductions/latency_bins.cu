#include <stdio.h>
#include <stdlib.h>
#define BINS 64
static __device__ int binOf(float ms, float lo, float inv) { int b = (int)((ms - lo) * inv); return b < 0 ? 0 : (b >= BINS ? BINS - 1 : b); }

__global__ void bin_latencies(const float* ms, unsigned* bins, float* sums, float lo, float inv, size_t n)
{
	size_t step = (size_t)gridDim.x*blockDim.x;
	for (size_t k = (size_t)blockIdx.x*blockDim.x + threadIdx.x; k < n; k += step)
	{
		float v = ms[k];
		int b = binOf(v, lo, inv);
		atomicAdd(bins + b, 1u);
		atomicAdd(&sums[b], v);
	}
}

int main(int argc, char** argv)
{
	size_t n = argc > 1 ? atol(argv[1]) : 90001;
	float* h = (float*)malloc(n*sizeof(float));
	for (size_t i = 0; i < n; i++) h[i] = 1.0f + (float)((i*i + 3*i) % 977)/10.0f;
	float *d, *s; unsigned* b;
	unsigned hb[BINS]; float hs[BINS];
	cudaMalloc((void**)&d, n*sizeof(float));
	cudaMalloc((void**)&b, BINS*sizeof(unsigned));
	cudaMalloc((void**)&s, BINS*sizeof(float));
	cudaMemset(b, 0, BINS*sizeof(unsigned));
	cudaMemset(s, 0, BINS*sizeof(float));
	cudaMemcpy(d, h, n*sizeof(float), cudaMemcpyHostToDevice);
	bin_latencies<<<80, 256>>>(d, b, s, 1.0f, 0.7f, n);
	cudaMemcpy(hb, b, sizeof(hb), cudaMemcpyDeviceToHost);
	cudaMemcpy(hs, s, sizeof(hs), cudaMemcpyDeviceToHost);
	for (int i = 0; i < BINS; i += 9) printf("%d: %u %.2f\n", i, hb[i], hs[i]);
	return 0;
}
