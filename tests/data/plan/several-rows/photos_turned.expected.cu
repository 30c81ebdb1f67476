// kernel=turn_left line=30 finding=KO101
// turns photos by 90 degrees and dims them; part of a slide show tool
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e_)); exit(2); } } while (0)

const int TS = 32;

template <typename Px>
__global__ void dim_pixels(Px* img, size_t count, float by)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		img[i] = (Px)(img[i] * by);
}

// one layer per blockIdx.z
template <typename Px>
__global__ void turn_left(const Px* src, Px* dst, unsigned w, unsigned h, float gain)
{
	__shared__ Px tile[32][32 + 1];
	const unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
	const size_t layer = (size_t)blockIdx.z * w * h;
	for (int row = 0; row < 32; row += 8) {
		const unsigned line = blockIdx.y * 32 + threadIdx.y + row;
		if (col < w && line < h) {
			Px v = src[layer + (size_t)line * w + col];
			if (v > 250)
				v = 250; // clip
			tile[threadIdx.y + row][threadIdx.x] = (Px)(v * gain);
		}
	}
	__syncthreads();
	const unsigned line_out = blockIdx.y * 32 + threadIdx.x;
	for (int row = 0; row < 32; row += 8) {
		const unsigned col_out = blockIdx.x * blockDim.x + threadIdx.y + row;
		if (col_out < w && line_out < h)
			dst[layer + (size_t)(w - 1 - col_out) * h + line_out] = tile[threadIdx.x][threadIdx.y + row];
	}
}

int main(int argc, char** argv)
{
	unsigned w = argc > 1 ? atoi(argv[1]) : 1000, h = argc > 2 ? atoi(argv[2]) : 700, layers = 3;
	size_t n = (size_t)w * h * layers;
	std::vector<float> a(n), b(n);
	for (size_t i = 0; i < n; i++) a[i] = (float)((i * 7919) % 256);
	float *da, *db;
	CHECK(cudaMalloc(&da, n * sizeof(float)));
	CHECK(cudaMalloc(&db, n * sizeof(float)));
	CHECK(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
	dim_pixels<<<(n + 255) / 256, 256>>>(da, n, 0.5f);
	dim3 threads(TS, TS), blocks((w + threads.x - 1) / threads.x, (h + threads.y - 1) / threads.y, layers);
	turn_left<float><<<blocks, dim3(threads.x, 8)>>>(da, db, w, h, 2.0f);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(b.data(), db, n * sizeof(float), cudaMemcpyDeviceToHost));
	double s = 0;
	for (size_t i = 0; i < n; i++) s += b[i] * (double)(i % 17);
	printf("sum %.3f\n", s);
	cudaFree(da); cudaFree(db);
	return 0;
}
