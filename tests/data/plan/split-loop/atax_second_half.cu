// kernel=atax_kernel2 line=16 finding=KO111
#include <stdio.h>
#include <stdlib.h>

#define NX 300
#define NY 200
#define DIM_THREAD_BLOCK_X 256

__global__ void atax_kernel2(float *A, float *y, float *tmp)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < NY) {
		// y = At tmp
		float s = y[j];
		for (int i = 0; i < NX; i++)
			s += A[i * NY + j] * tmp[i];
		y[j] = s;
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
	dim3 block(DIM_THREAD_BLOCK_X, 1);
	dim3 grid((NY + DIM_THREAD_BLOCK_X - 1) / DIM_THREAD_BLOCK_X, 1);
	atax_kernel2<<<grid, block>>>(A, y, tmp);
	cudaDeviceSynchronize();
	float t = 0;
	for (int i = 0; i < NY; i++) t += y[i];
	printf("%.3f\n", t);
	return 0;
}
