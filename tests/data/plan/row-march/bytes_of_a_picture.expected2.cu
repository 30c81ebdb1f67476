// kernel=edges line=8 finding=KO102
#include <cstdio>
typedef unsigned char Pixel;

__global__ void edges(Pixel *src, Pixel *dst, int width, int height) {
	int col = blockDim.x * blockIdx.x + threadIdx.x;
	const int first_row = (blockDim.y * blockIdx.y + threadIdx.y) * 8;
	const int end_row = min(first_row + 8, height - 1);
	int row = max(first_row, 1);
	if (col < width && row < end_row) {
		Pixel above = src[(row - 1) * width + col];
		Pixel here = src[row * width + col];
		for (; row < end_row; ++row) {
			const Pixel below = src[(row + 1) * width + col];
			int d = below - above;
			dst[row * width + col] = d < 0 ? -d : d;
			above = here;
			here = below;
		}
	}
}

int main() {
    const int w = 75, h = 52;
    static Pixel a[w * h], b[w * h];
    for (int i = 0; i < w * h; ++i) {
        a[i] = (Pixel)(i * 37 % 201);
        b[i] = (Pixel)(i * 11 % 97);
    }
    Pixel *x, *y, *z;
    cudaMalloc(&x, sizeof a);
    cudaMalloc(&y, sizeof b);
    cudaMalloc(&z, sizeof a);
    cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(y, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(z, b, sizeof b, cudaMemcpyHostToDevice);
    edges<<<dim3((w + 63) / 64, (h + 7) / 8), dim3(64, 1)>>>(x, z, w, h);
    cudaMemcpy(a, z, sizeof a, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < w * h; ++i) sum += a[i] * (i % 5 + 1);
    printf("%.4f\n", sum);
}
