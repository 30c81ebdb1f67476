// kernel=energy_scan line=19 finding=KO119
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* energy up to each sample; 1024 threads a block */
__global__ void energy_scan(float *e, float *part, const float *x, int N)
{
	extern __shared__ float s[];
	int lid = threadIdx.x;
	int k = lid + blockIdx.x * 1024;

	float sum = k < N ? x[k] * x[k] : 0.f;
	for (int offset = 1; offset < 32; offset *= 2) {
		float left = __shfl_up_sync(0xffffffff, sum, offset);
		if (lid % 32 >= offset)
			sum += left;
	}
	if (lid % 32 == 31)
		s[lid / 32] = sum;
	__syncthreads();
	if (lid < 32) {
		float warps = s[lid];
		for (int offset = 1; offset < 32; offset *= 2) {
			float left = __shfl_up_sync(0xffffffff, warps, offset);
			if (lid >= offset)
				warps += left;
		}
		s[lid] = warps;
	}
	__syncthreads();
	if (lid >= 32)
		sum += s[lid / 32 - 1];
	if (k < N)
		e[k] = sum;
	if (lid == 1023)
		part[blockIdx.x] = sum;
}

void run(float *de, float *dp, float *dx, int N)
{
	dim3 grid((N + 1023) / 1024), block(1024);
	energy_scan<<<grid, block, 2 * 1024 * sizeof(float)>>>(de, dp, dx, N);
}
