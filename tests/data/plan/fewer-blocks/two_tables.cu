// kernel=bin_pixels line=21 finding=KO110
#include <cstdio>
#include <cstdlib>
#define LEVELS 32

__global__ void bin_pixels(const float *lum, const float *weight, int *count, float *sum, int n)
{
	__shared__ int s_count[LEVELS];
	__shared__ float s_sum[LEVELS];
	for (int b = threadIdx.x; b < LEVELS; b += blockDim.x) {
		s_count[b] = 0;
		s_sum[b] = 0.0f;
	}
	__syncthreads();
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
		int b = min(LEVELS - 1, max(0, (int)(lum[i] * LEVELS)));
		atomicAdd(&s_count[b], 1);
		atomicAdd(&s_sum[b], weight[i]);
	}
	__syncthreads();
	for (int b = threadIdx.x; b < LEVELS; b += blockDim.x) { atomicAdd(&count[b], s_count[b]);
		atomicAdd(&sum[b], s_sum[b]); }
}

int main()
{
	int n = 8011, count[LEVELS], *d_count;
	float *lum = (float *)malloc(n * sizeof(float)), *weight = (float *)malloc(n * sizeof(float));
	float sum[LEVELS], *d_lum, *d_weight, *d_sum;
	for (int i = 0; i < n; i++) {
		lum[i] = (i * 29 % 1024) / 1024.0f;
		weight[i] = (i % 5) * 0.5f;
	}
	cudaMalloc(&d_lum, n * sizeof(float));
	cudaMalloc(&d_weight, n * sizeof(float));
	cudaMalloc(&d_count, sizeof(count));
	cudaMalloc(&d_sum, sizeof(sum));
	cudaMemcpy(d_lum, lum, n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(d_weight, weight, n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemset(d_count, 0, sizeof(count));
	cudaMemset(d_sum, 0, sizeof(sum));
	bin_pixels<<<(n + 255) / 256, 256>>>(d_lum, d_weight, d_count, d_sum, n);
	cudaMemcpy(count, d_count, sizeof(count), cudaMemcpyDeviceToHost);
	cudaMemcpy(sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost);
	for (int b = 0; b < LEVELS; b += 8) printf("%d %g\n", count[b], sum[b]);
	return 0;
}
