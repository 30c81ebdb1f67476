// kernel=weightedSum line=17 finding=KO101 technique=warp-per-row
#include <stdio.h>
#include <stdlib.h>

#define N 160

/* y = alpha A x + beta B x */
__global__ void weightedSum(double alpha, double beta, double *a, double *b, double *tmp, double *x, double *y)
{
	int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;

	if (i < N)
	{
		double tmp_acc = 0;
		double y_acc = 0;
		for (int j = lane; j < N; j += 32)
		{
			tmp_acc += a[i * N + j] * x[j];
			y_acc += b[i * N + j] * x[j];
		}
		for (int offset = 16; offset > 0; offset /= 2)
		{
			tmp_acc += __shfl_xor_sync(0xffffffff, tmp_acc, offset);
			y_acc += __shfl_xor_sync(0xffffffff, y_acc, offset);
		}
		if (lane == 0)
		{
			y[i] = y_acc;
			tmp[i] = tmp_acc;
			y[i] = alpha * tmp[i] + beta * y[i];
		}
	}
}

int main(void)
{
	double *a = (double *)malloc(N * N * sizeof(double)), *b = (double *)malloc(N * N * sizeof(double));
	double x[N], y[N], *dev_a, *dev_b, *dev_tmp, *dev_x, *dev_y;
	for (int i = 0; i < N; i++)
	{
		x[i] = (double)(i % 13) / 13;
		for (int j = 0; j < N; j++)
		{
			a[i * N + j] = (double)((i * j + 1) % 29) / 29;
			b[i * N + j] = (double)((i * j + 2) % 31) / 31;
		}
	}
	cudaMalloc((void **)&dev_a, N * N * sizeof(double));
	cudaMalloc((void **)&dev_b, N * N * sizeof(double));
	cudaMalloc((void **)&dev_tmp, N * sizeof(double));
	cudaMalloc((void **)&dev_x, N * sizeof(double));
	cudaMalloc((void **)&dev_y, N * sizeof(double));
	cudaMemcpy(dev_a, a, N * N * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemcpy(dev_b, b, N * N * sizeof(double), cudaMemcpyHostToDevice);
	cudaMemcpy(dev_x, x, N * sizeof(double), cudaMemcpyHostToDevice);
	weightedSum<<<(N + 1) / 2, 64>>>(1.5, 1.2, dev_a, dev_b, dev_tmp, dev_x, dev_y);
	cudaMemcpy(y, dev_y, N * sizeof(double), cudaMemcpyDeviceToHost);
	double s = 0;
	for (int i = 0; i < N; i++) s += y[i];
	printf("%.9f\n", s);
	cudaFree(dev_a); cudaFree(dev_b); cudaFree(dev_tmp); cudaFree(dev_x); cudaFree(dev_y);
	free(a); free(b);
	return 0;
}
