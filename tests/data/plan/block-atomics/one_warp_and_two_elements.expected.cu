// kernel=moments line=8 finding=KO110
#include <cstdio>

__global__ void moments(const float *in, float *sums, int n) {
	int i = blockIdx.x*blockDim.x + threadIdx.x;
	float thread_sums0 = 0;
	float thread_sums1 = 0;
	if (i < n && in[i] >= 0) {
		thread_sums0 += in[i];
		thread_sums1 += in[i]*in[i];
	}
	for (int offset = 16; offset > 0; offset /= 2) {
		thread_sums0 += __shfl_down_sync(0xffffffff, thread_sums0, offset);
		thread_sums1 += __shfl_down_sync(0xffffffff, thread_sums1, offset);
	}
	if (threadIdx.x == 0) {
		atomicAdd(&sums[0], thread_sums0);
		atomicAdd(&sums[1], thread_sums1);
	}
}

int main() {
    const int n = 3001;
    float *in, *h = new float[n];
    for (int i = 0; i < n; i++) h[i] = (i % 19) * 0.125f - 0.5f;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemcpy(in, h, n * sizeof(float), cudaMemcpyHostToDevice);
    float *sums, out[2];
    cudaMalloc(&sums, sizeof(out));
    cudaMemset(sums, 0, sizeof(out));
    moments<<<(n + 31) / 32, 32>>>(in, sums, n);
    cudaMemcpy(out, sums, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%.1f %.1f\n", out[0], out[1]);
    return 0;
}
