// kernel=activate line=8 finding=KO106
#include <cstdio>
#include <cstdlib>
#include <cmath>

__device__ __forceinline__ float gelu(float x)
{
	return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * powf(x, 3))));
}

__global__ void activate(float* __restrict__ out, const float* __restrict__ in, int n)
{
	const int stride = gridDim.x * blockDim.x;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
		out[i] = max(gelu(in[i]), -1e-1f) + sqrtf(in[i] * in[i] + 1.f);
}

int main()
{
	const int n = 1000;
	float *in, *out;
	cudaMallocManaged(&in, n * sizeof(float));
	cudaMallocManaged(&out, n * sizeof(float));
	for (int i = 0; i < n; i++)
		in[i] = 0.01f * (i - 500);
	activate<<<2, 128>>>(out, in, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++) {
		double x = in[i], want = 0.5 * x * (1.0 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
		want = (want > -0.1 ? want : -0.1) + std::sqrt(x * x + 1);
		if (std::fabs(out[i] - want) > 1e-5) {
			printf("FAIL %d: %g %g\n", i, out[i], want);
			return EXIT_FAILURE;
		}
	}
	puts("PASS");
	return EXIT_SUCCESS;
}
