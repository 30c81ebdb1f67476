// kernel=group_sums line=7 finding=KO110
#include <stdio.h>

__global__ void group_sums(const int *group, const float *value, float *total, size_t groups, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd(&total[group[i]], value[i]);
}

static void run(const int *group, const float *value, float *result, size_t count, int n, cudaStream_t stream)
{
	float *sums;
	cudaMalloc((void **)&sums, sizeof(float) * count);
	cudaMemsetAsync(sums, 0, sizeof(float) * count, stream);
	group_sums<<<64, 128, 0, stream>>>(group, value, sums, count, n);
	cudaMemcpyAsync(result, sums, sizeof(float) * count, cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	cudaFree(sums);
}

int main()
{
	const int n = 60000;
	int *group;
	float *value, result[40];
	cudaMallocManaged(&group, n * sizeof(int));
	cudaMallocManaged(&value, n * sizeof(float));
	for (int i = 0; i < n; i++) {
		group[i] = (i * 7) % 40;
		value[i] = (i % 16) * 0.25f;
	}
	run(group, value, result, 40, n, 0);
	printf("%f %f\n", result[0], result[39]);
	return 0;
}
