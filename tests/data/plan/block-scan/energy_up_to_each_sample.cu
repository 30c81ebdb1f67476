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
	int pout = 0, pin = 1;

	if (k < N)
		s[lid] = x[k] * x[k];
	else
		s[lid] = 0.f;
	__syncthreads();
	for (int off = 1; off < 1024; off *= 2)
	{
		pout = 1 - pout;
		pin = 1 - pout;
		if (lid >= off)
			s[pout * 1024 + lid] = s[pin * 1024 + lid] + s[pin * 1024 + lid - off];
		else
			s[pout * 1024 + lid] = s[pin * 1024 + lid];
		__syncthreads();
	}
	if (k < N)
		e[k] = s[pout * 1024 + lid];
	if (lid == 1023)
		part[blockIdx.x] = s[pout * 1024 + lid];
}

void run(float *de, float *dp, float *dx, int N)
{
	dim3 grid((N + 1023) / 1024), block(1024);
	energy_scan<<<grid, block, 2 * 1024 * sizeof(float)>>>(de, dp, dx, N);
}
