// edge-preserving smoothing of an 8 bit picture
// bilateral <width> <height> <radius: 2, 3 or 5>
#include <cstdio>
#include <cstdlib>
#include <cstring>

typedef unsigned char u8;

template <int R>
__global__ void bilateral(const u8* src, u8* dst, int width, int height, float sigmaS, float sigmaR)
{
	const int x = blockIdx.x*blockDim.x + threadIdx.x;
	const int y = blockIdx.y*blockDim.y + threadIdx.y;
	if (x >= width || y >= height) return;

	const float center = src[y*width + x];
	float num = 0.f, den = 0.f;

	for (int j = -R; j <= R; ++j)
	{
		for (int i = -R; i <= R; ++i)
		{
			const int xx = min(max(x + i, 0), width - 1);
			const int yy = min(max(y + j, 0), height - 1);
			const float v = src[yy*width + xx];
			const float ws = expf(-(i*i + j*j)/(2.f*sigmaS*sigmaS));
			const float wr = expf(-(v - center)*(v - center)/(2.f*sigmaR*sigmaR));
			num += ws*wr*v;
			den += ws*wr;
		}
	}
	dst[y*width + x] = (u8)(num/den + 0.5f);
}

int failed(cudaError_t e)
{
	if (e != cudaSuccess) fprintf(stderr, "CUDA error %d: %s\n", (int)e, cudaGetErrorString(e));
	return e != cudaSuccess;
}

int main(int argc, char* argv[])
{
	int width  = argc > 1 ? atoi(argv[1]) : 640;
	int height = argc > 2 ? atoi(argv[2]) : 480;
	int radius = argc > 3 ? atoi(argv[3]) : 3;
	size_t n = (size_t)width*height;

	u8* img = new u8[n];
	unsigned r = 77;
	for (int y = 0; y < height; ++y)
		for (int x = 0; x < width; ++x)
		{
			r = r*69069u + 1u;
			int base = (x > width/3 ? 150 : 40) + (y > height/2 ? 60 : 0);
			img[(size_t)y*width + x] = (u8)(base + (r >> 24)/8);
		}

	u8 *d_src, *d_dst;
	if (failed(cudaMalloc(&d_src, n))) return 1;
	if (failed(cudaMalloc(&d_dst, n))) return 1;
	if (failed(cudaMemcpy(d_src, img, n, cudaMemcpyHostToDevice))) return 1;

	dim3 threads(8, 8);
	dim3 blocks((width + 7)/8, (height + 7)/8);
	float ss = radius*0.6f, sr = 25.f;
	switch (radius)
	{
		case 2: bilateral<2><<<blocks, threads>>>(d_src, d_dst, width, height, ss, sr); break;
		case 3: bilateral<3><<<blocks, threads>>>(d_src, d_dst, width, height, ss, sr); break;
		case 5: bilateral<5><<<blocks, threads>>>(d_src, d_dst, width, height, ss, sr); break;
		default: fprintf(stderr, "radius must be 2, 3 or 5\n"); return 1;
	}
	if (failed(cudaGetLastError())) return 1;
	if (failed(cudaDeviceSynchronize())) return 1;
	if (failed(cudaMemcpy(img, d_dst, n, cudaMemcpyDeviceToHost))) return 1;

	unsigned long long sum = 0;
	for (size_t k = 0; k < n; ++k) sum += img[k];
	printf("mean gray value %.3f, middle pixel %d\n", (double)sum/n, img[(size_t)(height/2)*width + width/2]);

	cudaFree(d_src);
	cudaFree(d_dst);
	delete[] img;
	return 0;
}
