// kernel=atax_second line=14 finding=KO111
#include <stdio.h>
#include <stdlib.h>

#define NX 400
#define NY 150

__global__ void atax_second(float *A, float *y, float *tmp)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < NY) {
		// y += At tmp
		float s = 0.0f;
		const int share = (NX + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(NX, begin + share);
		for (int i = begin; i < end; i++)
			s += A[i * NY + j] * tmp[i];
		atomicAdd(&y[j], s);
	}
}

int main()
{
	float *A, *y, *tmp;
	cudaMallocManaged(&A, NX * NY * sizeof(float));
	cudaMallocManaged(&y, NY * sizeof(float));
	cudaMallocManaged(&tmp, NX * sizeof(float));
	for (int i = 0; i < NX * NY; i++) A[i] = (i % 11) * 0.5f;
	for (int i = 0; i < NX; i++) tmp[i] = i % 3;
	for (int i = 0; i < NY; i++) y[i] = i;
	dim3 block(256);
	dim3 grid((NY + 255) / 256, 16);
	atax_second<<<grid, block>>>(A, y, tmp);
	cudaDeviceSynchronize();
	float t = 0;
	for (int i = 0; i < NY; i++) t += y[i];
	printf("%.3f\n", t);
	return 0;
}
