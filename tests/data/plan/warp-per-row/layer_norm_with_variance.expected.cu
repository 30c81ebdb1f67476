// kernel=layernorm_fwd line=13 finding=KO101
#include <cstdio>
#include <cstdlib>

template <typename T>
__global__ void layernorm_fwd(const T *x, const T *gamma, const T *beta, T *y, T *mean, T *rstd, int tokens, int width)
{
	size_t t = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;
	if (t < tokens)
	{
		const T *xt = x + t * width;
		T m = 0, squares = 0;
		for (int i = lane; i < width; i += 32)
		{
			m += xt[i];
			squares = squares + xt[i] * xt[i];
		}
		for (int offset = 16; offset > 0; offset /= 2)
		{
			m += __shfl_xor_sync(0xffffffff, m, offset);
			squares += __shfl_xor_sync(0xffffffff, squares, offset);
		}
		m /= width;
		T v = squares / width - m * m;
		T s = 1.0f / sqrtf(v + 1e-5f);
		// normalise
		for (int i = lane; i < width; i += 32)
			y[t * width + i] = (xt[i] - m) * s * gamma[i] + beta[i];
		if (lane == 0)
		{
			mean[t] = m;
			rstd[t] = s;
		}
	}
}

int main()
{
	const int tokens = 130, width = 96;
	float *x, *g, *b, *y, *mean, *rstd;
	cudaMallocManaged(&x, tokens * width * sizeof(float));
	cudaMallocManaged(&y, tokens * width * sizeof(float));
	cudaMallocManaged(&g, width * sizeof(float));
	cudaMallocManaged(&b, width * sizeof(float));
	cudaMallocManaged(&mean, tokens * sizeof(float));
	cudaMallocManaged(&rstd, tokens * sizeof(float));
	for (int i = 0; i < tokens * width; i++) x[i] = (float)(i * 7 % 23) / 23;
	for (int i = 0; i < width; i++) { g[i] = 1 + i % 3; b[i] = i % 2; }
	dim3 grid((tokens + 1) / 2), block(64);
	layernorm_fwd<float><<<grid, block>>>(x, g, b, y, mean, rstd, tokens, width);
	cudaDeviceSynchronize();
	float s = 0;
	for (int i = 0; i < tokens * width; i++) s += y[i];
	printf("%f %f %f\n", s, mean[3], rstd[5]);
}
