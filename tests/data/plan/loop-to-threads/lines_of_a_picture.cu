// kernel=edges line=22 finding=KO111
#include <cstdio>

__global__ void edges(const float *picture, float *out, int width, int height)
{
	int y = blockIdx.x * blockDim.x + threadIdx.x;
	if (y < height)
		for (int x = 1; x < width - 1; ++x)
			out[y * width + x] = picture[y * width + x + 1]
			                   - picture[y * width + x - 1];
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
    edges<<<2, 32>>>(d, o, 60, 50);
    cudaMemcpy(r, o, sizeof r, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float v : r) sum += v;
    printf("%g\n", sum);
}
