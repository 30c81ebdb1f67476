// kernel=moments line=8 finding=KO110
#include <cstdio>

__global__ void moments(const float *in, float *sums, int n) {
	int i = blockIdx.x*blockDim.x + threadIdx.x;
	if (i >= n || in[i] < 0)
		return;
	atomicAdd(&sums[0], in[i]);
	atomicAdd(&sums[1], in[i]*in[i]);
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
