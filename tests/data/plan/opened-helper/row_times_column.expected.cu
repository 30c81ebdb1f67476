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
	__shared__ float a_tile[8][132];
	__shared__ float b_tile[8][128];
	const int thread = threadIdx.y * 16 + threadIdx.x;
	float value[8][8] = {};
	float a_next[4];
	float b_next[4];
	const auto load_next = [&](int start) {
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			const int row = blockIdx.y * 128 + e / 8;
			const int k = start + e % 8;
			a_next[l] = row < n && k < n ? a[row * n + k] : 0.0f;
		}
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			const int col = blockIdx.x * 128 + e % 128;
			const int k = start + e / 128;
			b_next[l] = col < n && k < n ? b[k * n + col] : 0.0f;
		}
	};
	load_next(0);
	for (int start = 0; start < n; start += 8) {
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			a_tile[e % 8][e / 8] = a_next[l];
		}
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			b_tile[e / 128][e % 128] = b_next[l];
		}
		__syncthreads();
		if (start + 8 < n) load_next(start + 8);
		#pragma unroll
		for (int p = 0; p < 8; ++p) {
			float a_reg[8];
			#pragma unroll
			for (int i = 0; i < 8; ++i) {
				a_reg[i] = a_tile[p][i / 4 * 64 + threadIdx.y * 4 + i % 4];
			}
			float b_reg[8];
			#pragma unroll
			for (int j = 0; j < 8; ++j) {
				b_reg[j] = b_tile[p][j / 4 * 64 + threadIdx.x * 4 + j % 4];
			}
			#pragma unroll
			for (int i = 0; i < 8; ++i) {
				#pragma unroll
				for (int j = 0; j < 8; ++j) {
					value[i][j] += a_reg[i] * b_reg[j];
				}
			}
		}
		__syncthreads();
	}
	#pragma unroll
	for (int i = 0; i < 8; ++i) {
		const int row = blockIdx.y * 128 + i / 4 * 64 + threadIdx.y * 4 + i % 4;
		#pragma unroll
		for (int j = 0; j < 8; ++j) {
			const int col = blockIdx.x * 128 + j / 4 * 64 + threadIdx.x * 4 + j % 4;
			if (row < n && col < n) {
				c[row * n + col] = value[i][j];
			}
		}
	}
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
	multiply<<<dim3((n + 127) / 128, (n + 127) / 128), dim3(16, 16)>>>(da, db, dc, n);
	cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n * n; i++)
		sum += c[i] * (i % 3);
	printf("%.3f\n", sum);
	return 0;
}
