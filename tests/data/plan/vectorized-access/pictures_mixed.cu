// kernel=mix line=9 finding=KO118
#include <cstdio>
typedef unsigned char Pixel;

__global__ void mix(Pixel *a, Pixel *b, Pixel *o, int alpha, int n)
{
	int id = blockDim.x * blockIdx.x + threadIdx.x;
	if (id < n) {
		// 8 bits of fraction
		int v = (a[id] * alpha + b[id] * (256 - alpha)) >> 8;
		if (v > 255)
			v = 255;
		o[id] = v + id % 2;
	}
}

int main() {
    const int n = 3001;
    static Pixel a[n], b[n];
    static Pixel c[n];
    for (int i = 0; i < n; ++i) {
        a[i] = (Pixel)(i * 37 % 201);
        b[i] = (Pixel)(i * 11 % 97);
    }
    Pixel *x, *y;
    Pixel *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof c);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemset(z, 0, sizeof c);
    mix<<<dim3((n + 63) / 64, 1, 1), dim3(64, 1, 1)>>>(x, y, z, 77, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
