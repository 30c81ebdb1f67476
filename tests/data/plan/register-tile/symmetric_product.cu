// kernel=syrk_kernel line=14 finding=KO101
#include <stdio.h>
#include <stdlib.h>
#define N 96
#define M 80

__global__ void syrk_kernel(float alpha, float beta, float *a, float *c)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if ((i < N) && (j < N)) {
		float s = beta * c[i * N + j];
		for (int k = 0; k < M; k++)
			s += alpha * a[i * M + k] * a[j * M + k];
		c[i * N + j] = s;
	}
}

void run(float *a, float *c, dim3 grid, dim3 block)
{
	syrk_kernel<<<grid, dim3(32, 32)>>>(1.25f, 0.5f, a, c);
	cudaDeviceSynchronize();
}

int main(void)
{
	float *a, *c;
	cudaMallocManaged(&a, N * M * sizeof(float));
	cudaMallocManaged(&c, N * N * sizeof(float));
	for (int i = 0; i < N * M; i++) a[i] = (float)(i % 9) / 8;
	for (int i = 0; i < N * N; i++) c[i] = (float)(i % 5);
	run(a, c, dim3(N / 32, N / 32), dim3(32, 32));
	float t = 0;
	for (int i = 0; i < N * N; i++) t += c[i];
	printf("%f\n", t);
	return 0;
}
