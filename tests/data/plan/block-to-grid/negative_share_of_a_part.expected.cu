// kernel=residual line=35 finding=KO111
#include <cstdio>
#define SAFE(call, what) if ((call) != cudaSuccess) { puts(what); return 1; }

__global__ void residual(const float* a, const float* b, double* out, unsigned n, double scale) {
	__shared__ double lanes[64];
	double s = 0.0;
	for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += blockDim.x * gridDim.x)
		s += (double)a[k] * b[k];
	lanes[threadIdx.x] = s;
	__syncthreads();
	if (threadIdx.x == 0) {
		double all = 0.0;
		for (int t = 0; t < 64; ++t)
			all += lanes[t];
		atomicAdd(&out[0], -(all * scale));
	}
}

int main() {
	const unsigned n = 90000;
	float* ha = new float[n];
	float* hb = new float[n];
	for (unsigned k = 0; k < n; ++k) {
		ha[k] = (k % 11) * 0.5f;
		hb[k] = (k % 5) - 2.0f;
	}
	float *a, *b;
	double* result;
	SAFE(cudaMalloc(&a, n * sizeof(float)), "a");
	SAFE(cudaMalloc(&b, n * sizeof(float)), "b");
	SAFE(cudaMalloc(&result, 4 * sizeof(double)), "result");
	SAFE(cudaMemcpy(a, ha, n * sizeof(float), cudaMemcpyHostToDevice), "copy a");
	SAFE(cudaMemcpy(b, hb, n * sizeof(float), cudaMemcpyHostToDevice), "copy b");
	SAFE(cudaMemset(result + 2, 0, sizeof(double)), "cudaMemset");
	residual<<<264, 64>>>(a, b, result + 2, n, 0.25);
	double r;
	SAFE(cudaMemcpy(&r, result + 2, sizeof(double), cudaMemcpyDeviceToHost), "back");
	printf("%f\n", r);
	delete[] ha;
	delete[] hb;
	return 0;
}
