// kernel=multiply line=11 finding=KO108 technique=register-tile
#include <stdio.h>
#include <stdlib.h>

/* one element of the product */
__device__ float element(const float *a, const float *b, int row, int col, int n)
{
	float value = 0.0f;
	int k;
	for (k = 0; k < n; k++)
		value += a[row * n + k] * b[k * n + col];
	return value;
}

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int col = blockIdx.x * blockDim.x + threadIdx.x;
	if (row < n && col < n)
		c[row * n + col] = element(a, b, row, col, n);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 150;
	size_t bytes = (size_t)n * n * sizeof(float);
	float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
	float *da, *db, *dc;
	double sum = 0;
	for (int i = 0; i < n * n; i++) {
		a[i] = (i % 17) * 0.25f - 2;
		b[i] = (i % 13) * 0.5f - 3;
	}
	cudaMalloc((void **)&da, bytes);
	cudaMalloc((void **)&db, bytes);
	cudaMalloc((void **)&dc, bytes);
	cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
	multiply<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(da, db, dc, n);
	cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n * n; i++)
		sum += c[i] * (i % 3);
	printf("%.3f\n", sum);
	return 0;
}
