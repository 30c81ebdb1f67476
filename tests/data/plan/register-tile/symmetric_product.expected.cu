// kernel=syrk_kernel line=14 finding=KO101
#include <stdio.h>
#include <stdlib.h>
#define N 96
#define M 80

__global__ void syrk_kernel(float alpha, float beta, float *a, float *c)
{
	__shared__ float a_i_tile[8][132];
	__shared__ float a_j_tile[8][132];
	const int thread = threadIdx.y * 16 + threadIdx.x;
	float s[8][8];
	#pragma unroll
	for (int r = 0; r < 8; ++r) {
		const int i = blockIdx.y * 128 + r / 4 * 64 + threadIdx.y * 4 + r % 4;
		#pragma unroll
		for (int c2 = 0; c2 < 8; ++c2) {
			const int j = blockIdx.x * 128 + c2 / 4 * 64 + threadIdx.x * 4 + c2 % 4;
			if (i < N && j < N) {
				s[r][c2] = beta * c[i * N + j];
			}
		}
	}
	float a_i_next[4];
	float a_j_next[4];
	const auto load_next = [&](int start) {
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			const int i = blockIdx.y * 128 + e / 8;
			const int k = start + e % 8;
			a_i_next[l] = i < N ? a[i * M + k] : 0.0f;
		}
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			const int j = blockIdx.x * 128 + e / 8;
			const int k = start + e % 8;
			a_j_next[l] = j < N ? a[j * M + k] : 0.0f;
		}
	};
	load_next(0);
	for (int start = 0; start < M; start += 8) {
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			a_i_tile[e % 8][e / 8] = alpha * a_i_next[l];
		}
		#pragma unroll
		for (int l = 0; l < 4; ++l) {
			const int e = thread + l * 256;
			a_j_tile[e % 8][e / 8] = a_j_next[l];
		}
		__syncthreads();
		if (start + 8 < M) load_next(start + 8);
		#pragma unroll
		for (int p = 0; p < 8; ++p) {
			float a_i_reg[8];
			#pragma unroll
			for (int r = 0; r < 8; ++r) {
				a_i_reg[r] = a_i_tile[p][r / 4 * 64 + threadIdx.y * 4 + r % 4];
			}
			float a_j_reg[8];
			#pragma unroll
			for (int c2 = 0; c2 < 8; ++c2) {
				a_j_reg[c2] = a_j_tile[p][c2 / 4 * 64 + threadIdx.x * 4 + c2 % 4];
			}
			#pragma unroll
			for (int r = 0; r < 8; ++r) {
				#pragma unroll
				for (int c2 = 0; c2 < 8; ++c2) {
					s[r][c2] += a_i_reg[r] * a_j_reg[c2];
				}
			}
		}
		__syncthreads();
	}
	#pragma unroll
	for (int r = 0; r < 8; ++r) {
		const int i = blockIdx.y * 128 + r / 4 * 64 + threadIdx.y * 4 + r % 4;
		#pragma unroll
		for (int c2 = 0; c2 < 8; ++c2) {
			const int j = blockIdx.x * 128 + c2 / 4 * 64 + threadIdx.x * 4 + c2 % 4;
			if (i < N && j < N) {
				c[i * N + j] = s[r][c2];
			}
		}
	}
}

void run(float *a, float *c, dim3 grid, dim3 block)
{
	syrk_kernel<<<dim3((grid.x + 3) / 4, (grid.y + 3) / 4, grid.z), dim3(16, 16)>>>(1.25f, 0.5f, a, c);
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
