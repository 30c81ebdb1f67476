// Glättung und Summe – zwei Kerne (ü, 中文)
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace std;
#define BLOCK 128
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__device__ __forceinline__ float weight(int d)
{
	return d == 0 ? 0.5f : 0.25f;	// Gewicht
}

__global__ void smooth(const float *in, float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	float s = 0.0f;
	for (int d = -1; d <= 1; d++) {
		int j = i + d;
		if (j < 0) j = 0;
		if (j >= n) j = n - 1;
		s += weight(d) * in[j];	// Nachbarn « gewichtet »
	}
	out[i] = s;
}

__global__ void row_sum(const float *in, float *sums, int rows, int cols)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r < rows) {
		float s = 0.0f;
		for (int c = 0; c < cols; c++)
			s += in[r * cols + c];
		sums[r] = s;
	}
}

int main()
{
	const int rows = 256, cols = 64, n = rows * cols;
	vector<float> h(n);
	for (int i = 0; i < n; i++) h[i] = (float)(i % 17) * 0.125f;
	float *a, *b, *s;
	CHECK(cudaMalloc(&a, n * sizeof(float)));
	CHECK(cudaMalloc(&b, n * sizeof(float)));
	CHECK(cudaMalloc(&s, rows * sizeof(float)));
	CHECK(cudaMemcpy(a, h.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	smooth<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, n);
	row_sum<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(b, s, rows, cols);
	CHECK(cudaDeviceSynchronize());
	vector<float> r(rows);
	CHECK(cudaMemcpy(r.data(), s, rows * sizeof(float), cudaMemcpyDeviceToHost));
	double t = 0;
	for (float v : r) t += v;
	printf("%.4f\n", t);
	return 0;
}