// kernel=mix line=9 finding=KO118
#include <cstdio>
typedef unsigned char Pixel;

__global__ void mix(Pixel *a, Pixel *b, Pixel *o, int alpha, int n)
{
	const bool aligned = (reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b) | reinterpret_cast<size_t>(o)) % 16 == 0;
	const int first = (blockDim.x * blockIdx.x + threadIdx.x) * 16;
	if (aligned && first + 16 <= n) {
		alignas(16) Pixel a16[16];
		*reinterpret_cast<int4 *>(a16) = *reinterpret_cast<const int4 *>(a + first);
		alignas(16) Pixel b16[16];
		*reinterpret_cast<int4 *>(b16) = *reinterpret_cast<const int4 *>(b + first);
		alignas(16) Pixel o16[16];
		#pragma unroll
		for (int k = 0; k < 16; ++k) {
			const int id = first + k;
			// 8 bits of fraction
			int v = (a16[k] * alpha + b16[k] * (256 - alpha)) >> 8;
			if (v > 255)
				v = 255;
			o16[k] = v + id % 2;
		}
		*reinterpret_cast<int4 *>(o + first) = *reinterpret_cast<int4 *>(o16);
	} else {
		for (int id = first; id < n && id < first + 16; ++id) {
			int v = (a[id] * alpha + b[id] * (256 - alpha)) >> 8;
			if (v > 255)
				v = 255;
			o[id] = v + id % 2;
		}
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
    mix<<<dim3((n + 1023) / 1024, 1, 1), dim3(64, 1, 1)>>>(x, y, z, 77, n);
    cudaMemcpy(c, z, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(a, x, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += c[i] + 2.0 * a[i];
    printf("%.3f\n", sum);
}
