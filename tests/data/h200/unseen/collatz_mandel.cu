#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
// two divergent kernels: Collatz lengths, Mandelbrot in integer fixed point (exact on the host)

__host__ __device__ int collatz(unsigned long long v)
{
	int steps = 0;
	while (v != 1) {
		if (v & 1) v = 3 * v + 1;
		else v >>= 1;
		++steps;
	}
	return steps;
}

__global__ void collatz_kernel(int *len, int n, int *longest)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	int l = collatz(i + 1);
	len[i] = l;
	if (l > 150) atomicMax(longest, l);
}

__host__ __device__ unsigned char mandel(int px, int py, int w, int h)
{
	const int one = 1 << 12;
	int cr = (px * 3 * one) / w - 2 * one, ci = (py * 2 * one) / h - one;
	int zr = 0, zi = 0, it = 0;
	do {
		int r2 = (zr * zr) >> 12, i2 = (zi * zi) >> 12;
		if (r2 + i2 > 4 * one) break;
		zi = ((zr * zi) >> 11) + ci;
		zr = r2 - i2 + cr;
	} while (++it < 100);
	return (unsigned char)it;
}

__global__ void mandel_kernel(unsigned char *img, int w, int h, int pitch)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;
	if (px < w && py < h)
		img[py * pitch + px] = mandel(px, py, w, h);
}

// lookup of the palette
__global__ void colorize(const unsigned char *img, const uchar3 *palette, uchar3 *rgb, int w, int h, int pitch)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k < w * h) {
		int y = k / w, x = k - y * w;
		rgb[k] = palette[img[y * pitch + x]];
	}
}

int main()
{
	const int n = 20000, w = 150, h = 90, pitch = 160;
	int *dl, *dm; unsigned char *di; uchar3 *dpal, *drgb;
	int *len = (int *)malloc(n * sizeof(int)), longest = 0, refmax = 0;
	unsigned char *img = (unsigned char *)malloc(pitch * h);
	uchar3 pal[256], *rgb = (uchar3 *)malloc(w * h * sizeof(uchar3));
	for (int i = 0; i < 256; ++i) pal[i] = make_uchar3(i * 7, i * 5, 255 - i);
	cudaMalloc(&dl, n * sizeof(int)); cudaMalloc(&dm, sizeof(int)); cudaMalloc(&di, pitch * h);
	cudaMalloc(&dpal, sizeof pal); cudaMalloc(&drgb, w * h * sizeof(uchar3));
	cudaMemset(dm, 0, sizeof(int));
	cudaMemcpy(dpal, pal, sizeof pal, cudaMemcpyHostToDevice);
	collatz_kernel<<<(n + 95) / 96, 96>>>(dl, n, dm);
	mandel_kernel<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(di, w, h, pitch);
	colorize<<<(w * h + 127) / 128, 128>>>(di, dpal, drgb, w, h, pitch);
	cudaMemcpy(len, dl, n * sizeof(int), cudaMemcpyDeviceToHost);
	cudaMemcpy(&longest, dm, sizeof(int), cudaMemcpyDeviceToHost);
	cudaMemcpy(img, di, pitch * h, cudaMemcpyDeviceToHost);
	cudaMemcpy(rgb, drgb, w * h * sizeof(uchar3), cudaMemcpyDeviceToHost);
	int bad = cudaGetLastError() != cudaSuccess;
	for (int i = 0; i < n; ++i) {
		int l = collatz(i + 1);
		if (l > refmax) refmax = l;
		bad += l != len[i];
	}
	bad += refmax != longest;
	for (int y = 0; y < h; ++y) for (int x = 0; x < w; ++x) {
		unsigned char m = mandel(x, y, w, h);
		if (m != img[y * pitch + x]) bad++;
		uchar3 c = rgb[y * w + x];
		if (c.x != pal[m].x || c.y != pal[m].y || c.z != pal[m].z) bad++;
	}
	printf("collatz_mandel %s\n", bad ? "FAIL" : "PASS");
	return bad != 0;
}
