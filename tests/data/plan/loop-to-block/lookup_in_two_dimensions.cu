// kernel=tone_map line=13 finding=KO122
#include <cstdio>
#include <vector>

// Maps pixels through a table of 16 curves of 32 entries that a block keeps in shared memory.
__global__ void tone_map(const unsigned char *pixels, const float *curves, const int *zones, float *out, int w, int h)
{
	__shared__ float table[16][32];
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (threadIdx.x == 0 && threadIdx.y == 0) {
		for (int c = 0; c < 16; c++) {
			for (int e = 0; e < 32; e++) {
				table[c][e] = curves[c * 32 + e];
			}
		}
	}
	__syncthreads();

	if (x < w && y < h) {
		int i = y * w + x;
		out[i] = table[zones[i] & 15][pixels[i] >> 3];
	}
}

int main()
{
	const int w = 301, h = 205;
	std::vector<unsigned char> pixels(w * h);
	std::vector<int> zones(w * h);
	std::vector<float> curves(16 * 32), out(w * h);
	for (int i = 0; i < w * h; i++) {
		pixels[i] = (i * 7) & 255;
		zones[i] = i / 90;
	}
	for (int i = 0; i < 16 * 32; i++)
		curves[i] = i * 0.01f;
	unsigned char *d_pixels;
	int *d_zones;
	float *d_curves, *d_out;
	cudaMalloc(&d_pixels, w * h);
	cudaMalloc(&d_zones, w * h * sizeof(int));
	cudaMalloc(&d_curves, curves.size() * sizeof(float));
	cudaMalloc(&d_out, w * h * sizeof(float));
	cudaMemcpy(d_pixels, pixels.data(), w * h, cudaMemcpyHostToDevice);
	cudaMemcpy(d_zones, zones.data(), w * h * sizeof(int), cudaMemcpyHostToDevice);
	cudaMemcpy(d_curves, curves.data(), curves.size() * sizeof(float), cudaMemcpyHostToDevice);
	dim3 block(16, 8), grid((w + 15) / 16, (h + 7) / 8);
	tone_map<<<grid, block>>>(d_pixels, d_curves, d_zones, d_out, w, h);
	cudaMemcpy(out.data(), d_out, w * h * sizeof(float), cudaMemcpyDeviceToHost);
	double sum = 0;
	for (float v : out) sum += v;
	printf("%.3f\n", sum);
	return 0;
}
