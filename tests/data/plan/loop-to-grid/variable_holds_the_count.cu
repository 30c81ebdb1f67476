// kernel=distances line=29 finding=KO111
#include <cstdio>

__global__ void distances(const float *p, float *dist, int count, int dims) {
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < count) {
		for (unsigned int j = 0; j < count; ++j) {
			float s = 0;
			for (int k = 0; k < dims; ++k) {
				if (p[i * dims + k] < 0) continue;
				float t = p[i * dims + k] - p[j * dims + k];
				s += t * t;
			}
			dist[j * count + i] = sqrtf(s);
		}
	}
}

int main() {
    const int n = 70, m = 50;
    static float h[n * m], r[n * n];
    for (int i = 0; i < n * m; ++i) h[i] = i % 11 - 4;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof r);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof r);
    int threads = 64, blocks = (n + threads - 1) / threads;
    distances<<<blocks, threads, 0, 0>>>(d, o, n, m);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
