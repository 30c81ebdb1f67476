// kernel=correct line=11 finding=KO121
#include <cstdio>
#include <vector>

#define AT(r, c) ((r) * cols + (c))

__global__ void correct(float *frame, const float *gain, const float *dark, int rows, int cols)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	int first_r = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
	if (c >= cols) return;
	if (first_r + 1 < rows) {
		float result[2];
		#pragma unroll
		for (int k = 0; k < 2; k++) {
			const int r = first_r + k;
			result[k] = frame[AT(r, c)] - dark[c] * gain[AT(r, c)];
		}
		#pragma unroll
		for (int k = 0; k < 2; k++) {
			const int r = first_r + k;
			frame[AT(r, c)] = result[k];
		}
	} else {
		for (int k = 0; k < 2; k++) {
			const int r = first_r + k;
			if (r < rows) {
				frame[AT(r, c)] -= dark[c] * gain[AT(r, c)];
			}
		}
	}
}

int main()
{
	int rows = 51, cols = 70, n = rows * cols;
	std::vector<float> v(n);
	for (int i = 0; i < n; i++) v[i] = i % 31 * 0.5f;
	float *f, *g, *d;
	cudaMalloc(&f, n * sizeof(float));
	cudaMalloc(&g, n * sizeof(float));
	cudaMalloc(&d, n * sizeof(float));
	cudaMemcpy(f, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(g, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(d, v.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	dim3 block(16, 8), grid((cols + block.x - 1) / block.x, (rows + 2 * block.y - 1) / (2 * block.y));
	correct<<<grid, block>>>(f, g, d, rows, cols);
	cudaMemcpy(v.data(), f, n * sizeof(float), cudaMemcpyDeviceToHost);
	float sum = 0;
	for (float e : v) sum += e;
	printf("%f\n", sum);
	return 0;
}
