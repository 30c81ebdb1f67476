// kernel=polynomial line=11 finding=KO114
#include <cstdio>
#include <cstdlib>

constexpr int kDegree = 5;
__constant__ float coefficients[kDegree + 1];

__device__ float evaluate(float x)
{
	float value = coefficients[kDegree];
	for (int d = kDegree - 1; d >= 0; d--)
		value = value * x + coefficients[d];
	return value;
}

__global__ void polynomial(float *y, const float *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = evaluate(x[i]);
}

int main()
{
	const int n = 100;
	float host[kDegree + 1] = {1, 2, 0, 0, 0, 1}, *x, *y;
	cudaMemcpyToSymbol(coefficients, host, sizeof(host));
	cudaMallocManaged(&x, n * sizeof(float));
	cudaMallocManaged(&y, n * sizeof(float));
	for (int i = 0; i < n; i++)
		x[i] = i % 4;
	polynomial<<<1, 32>>>(y, x, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++) {
		float t = x[i];
		if (y[i] != 1 + 2 * t + t * t * t * t * t)
			return puts("FAIL"), EXIT_FAILURE;
	}
	puts("PASS");
	return EXIT_SUCCESS;
}
