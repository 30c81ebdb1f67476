// kernel=blocked line=22 finding=KO108
#include <cstdio>
constexpr int kSide = 16;

/// out = x * y^T-free product with a bias for each column
__global__ void blocked(const float *x, const float *y, const float *bias, float *out, int m, int n, int depth)
{
	__shared__ float x_tile[16][132];
	__shared__ float y_tile[16][64];
	const int thread = threadIdx.y * 16 + threadIdx.x;
	float total[8][4] = {};
	float x_next[8];
	float y_next[4];
	const auto load_next = [&](int start) {
		#pragma unroll
		for (int l = 0; l < 8; ++l) {
			const int e = thread + l * 256;
			const int r = blockIdx.y * 128 + e / 16;
			const int k = start + e % 16;
			x_next[l] = r < m && k < depth ? x[r * depth + k] : 0.0f;
		}
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			const int c = blockIdx.x * 64 + e % 64;
			const int k = start + e / 64;
			y_next[l] = c < n && k < depth ? y[k * n + c] : 0.0f;
		}
	};
	load_next(0);
	for (int start = 0; start < depth; start += 16) {
		#pragma unroll
		for (int l = 0; l < 8; ++l) {
			const int e = thread + l * 256;
			x_tile[e % 16][e / 16] = x_next[l];
		}
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			y_tile[e / 64][e % 64] = y_next[l];
		}
		__syncthreads();
		if (start + 16 < depth) load_next(start + 16);
		#pragma unroll
		for (int p = 0; p < 16; ++p) {
			float x_reg[8];
			#pragma unroll
			for (int i = 0; i < 8; ++i) {
				x_reg[i] = x_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
			}
			float y_reg[4];
			#pragma unroll
			for (int j = 0; j < 4; ++j) {
				y_reg[j] = y_tile[p][threadIdx.x * 4 + j];
			}
			#pragma unroll
			for (int i = 0; i < 8; ++i) {
				#pragma unroll
				for (int j = 0; j < 4; ++j) {
					total[i][j] += x_reg[i] * y_reg[j];
				}
			}
		}
		__syncthreads();
	}
	#pragma unroll
	for (int i = 0; i < 8; ++i) {
		const int r = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
		#pragma unroll
		for (int j = 0; j < 4; ++j) {
			const int c = blockIdx.x * 64 + threadIdx.x * 4 + j;
			if (r < m && c < n) {
				out[r * n + c] = total[i][j] + bias[c];
			}
		}
	}
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
	const dim3 threads(kSide, kSide), blocks((n + 4 * kSide - 1) / (4 * kSide), (m + 8 * kSide - 1) / (8 * kSide));
	blocked<<<blocks, threads>>>(x, y, bias, out, m, n, depth);
	cudaDeviceSynchronize();
	double sum = 0;
	for (int i = 0; i < m * n; i++) sum += out[i];
	printf("%f\n", sum);
	return 0;
}
