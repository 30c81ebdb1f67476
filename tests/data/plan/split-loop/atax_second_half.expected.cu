// kernel=atax_kernel2 line=16 finding=KO111
#include <stdio.h>
#include <stdlib.h>

#define NX 300
#define NY 200
#define DIM_THREAD_BLOCK_X 256

__global__ void atax_kernel2(float *A, float *y, float *tmp)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	// y = At tmp
	float s = j < NY ? y[j] : 0.0f;
	if (threadIdx.y != 0) s = 0;
	if (j < NY)
		for (int i = threadIdx.y; i < NX; i += 16)
			s += A[i * NY + j] * tmp[i];
	__shared__ float s_parts[16][32];
	s_parts[threadIdx.y][threadIdx.x] = s;
	__syncthreads();
	s = s_parts[0][threadIdx.x];
	for (int part = 1; part < 16; part++) s += s_parts[part][threadIdx.x];
	if (threadIdx.y == 0 && j < NY) y[j] = s;
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
	dim3 block(32, 16);
	dim3 grid((NY + 31) / 32, 1);
	atax_kernel2<<<grid, block>>>(A, y, tmp);
	cudaDeviceSynchronize();
	float t = 0;
	for (int i = 0; i < NY; i++) t += y[i];
	printf("%.3f\n", t);
	return 0;
}
