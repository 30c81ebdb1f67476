// kernel=blocked line=22 finding=KO108
#include <cstdio>
constexpr int kSide = 16;

/// out = x * y^T-free product with a bias for each column
__global__ void blocked(const float *x, const float *y, const float *bias, float *out, int m, int n, int depth)
{
	__shared__ float xs[kSide][kSide + 1];
	__shared__ float ys[kSide][kSide];
	const int r = blockIdx.y * blockDim.y + threadIdx.y;
	const int c = blockIdx.x * blockDim.x + threadIdx.x;
	const int rounds = (depth + kSide - 1) / kSide;
	float total = 0.0f;
	for (int round = 0; round < rounds; ++round)
	{
		const int base = round * kSide;
		const int across = base + threadIdx.x, down = base + threadIdx.y;
		xs[threadIdx.y][threadIdx.x] = r < m && across < depth ? x[r * depth + across] : 0.0f;
		ys[threadIdx.y][threadIdx.x] = down < depth && c < n ? y[down * n + c] : 0.0f;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < kSide; ++k)
			total += xs[threadIdx.y][k] * ys[k][threadIdx.x];
		__syncthreads();
	}
	if (r < m && c < n)
		out[r * n + c] = total + bias[c];
}

int main()
{
	const int m = 50, n = 70, depth = 33;
	float *x, *y, *bias, *out;
	cudaMallocManaged(&x, m * depth * sizeof(float));
	cudaMallocManaged(&y, depth * n * sizeof(float));
	cudaMallocManaged(&bias, n * sizeof(float));
	cudaMallocManaged(&out, m * n * sizeof(float));
	for (int i = 0; i < m * depth; i++) x[i] = i % 6;
	for (int i = 0; i < n * depth; i++) y[i] = i % 4;
	for (int i = 0; i < n; i++) bias[i] = i;
	const dim3 threads(kSide, kSide), blocks((n + kSide - 1) / kSide, (m + kSide - 1) / kSide);
	blocked<<<blocks, threads>>>(x, y, bias, out, m, n, depth);
	cudaDeviceSynchronize();
	double sum = 0;
	for (int i = 0; i < m * n; i++) sum += out[i];
	printf("%f\n", sum);
	return 0;
}
