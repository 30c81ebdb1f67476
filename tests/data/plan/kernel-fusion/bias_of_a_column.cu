// kernel=add_bias line=7 finding=KO118
#include <cuda_runtime.h>

__global__ void add_bias(float* h, const float* bias, int rows, int cols)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i >= rows * cols) return;
	h[i] += bias[i % cols];
}

__device__ float bent(float v) { return v > 0.0f ? v : 0.1f * v; }

__global__ void activate(float* h, int total)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < total) { float v = h[i]; h[i] = bent(v); }
}

void layer(int rows, int cols)
{
	float *h, *bias;
	int total = rows * cols;
	cudaMalloc(&h, total * sizeof(float));
	cudaMalloc(&bias, cols * sizeof(float));
	int blocks = (total + 255) / 256;
	add_bias<<<blocks, 256>>>(h, bias, rows, cols);
	activate<<<blocks, 256>>>(h, total);
}
