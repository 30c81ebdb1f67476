// kernel=energy_scan line=19 finding=KO119
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

/* energy up to each sample; 1024 threads a block */
__global__ void energy_scan(float *e, float *part, const float *x, int N)
{
	extern __shared__ float s[];
	int lid = threadIdx.x;
	int first = lid * 4 + blockIdx.x * 1024;

	const bool whole = (reinterpret_cast<size_t>(x) | reinterpret_cast<size_t>(e)) % 16 == 0 && first + 4 <= N;
	float items[4];
	if (whole)
	{
		alignas(16) float x4[4];
		*reinterpret_cast<float4 *>(x4) = *reinterpret_cast<const float4 *>(x + first);
		#pragma unroll
		for (int item = 0; item < 4; ++item)
			items[item] = x4[item] * x4[item];
	}
	else
	{
		#pragma unroll
		for (int item = 0; item < 4; ++item)
		{
			const int k = first + item;
			items[item] = k < N ? x[k] * x[k] : 0.f;
		}
	}
	float sum = items[0] + items[1] + items[2] + items[3];
	for (int offset = 1; offset < 32; offset *= 2) {
		float left = __shfl_up_sync(0xffffffff, sum, offset);
		if (lid % 32 >= offset)
			sum += left;
	}
	float running = __shfl_up_sync(0xffffffff, sum, 1);
	if (lid % 32 == 0)
		running = 0.0f;
	if (lid % 32 == 31)
		s[lid / 32] = sum;
	__syncthreads();
	for (int warp = 0; warp < lid / 32; warp++)
		running += s[warp];
	alignas(16) float e4[4];
	#pragma unroll
	for (int item = 0; item < 4; ++item)
	{
		running += items[item];
		e4[item] = running;
	}
	if (whole)
	{
		*reinterpret_cast<float4 *>(e + first) = *reinterpret_cast<float4 *>(e4);
	}
	else
	{
		#pragma unroll
		for (int item = 0; item < 4; ++item)
			if (first + item < N)
				e[first + item] = e4[item];
	}
	if (lid == 255)
		part[blockIdx.x] = running;
}

void run(float *de, float *dp, float *dx, int N)
{
	dim3 grid((N + 1023) / 1024), block(256);
	energy_scan<<<grid, block, 2 * 1024 * sizeof(float)>>>(de, dp, dx, N);
}
