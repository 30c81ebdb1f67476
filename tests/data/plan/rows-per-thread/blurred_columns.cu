// kernel=blur_columns line=16 finding=KO108
#include <cstdio>
#include <vector>

#define RADIUS 4

// pixels beyond the picture count as nothing
__global__ void blur_columns(const float* __restrict__ in, float* __restrict__ out, const float* __restrict__ coef, int w, int h) {
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float s = 0;
	for (int j = -RADIUS; j <= RADIUS; j++) {
		if (y + j >= 0 && y + j < h)
			s += coef[j + RADIUS] * in[(y + j) * w + x];
	}
	out[y * w + x] = s;
}

int main() {
	const int w = 45, h = 137;
	std::vector<float> v(w * h), c(2 * RADIUS + 1);
	for (int i = 0; i < w * h; i++) v[i] = (i * 29 % 113) / 113.0f;
	for (int j = 0; j <= 2 * RADIUS; j++) c[j] = 0.1f + 0.01f * j;
	float *in, *out, *coef;
	cudaMalloc(&in, w * h * sizeof(float));
	cudaMalloc(&out, w * h * sizeof(float));
	cudaMalloc(&coef, c.size() * sizeof(float));
	cudaMemcpy(in, v.data(), w * h * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(coef, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
	blur_columns<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, coef, w, h);
	cudaMemcpy(v.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost);
	double sum = 0;
	for (int i = 0; i < w * h; i++) sum += v[i] * (i % 7 + 1);
	printf("%.3f\n", sum);
	cudaFree(in);
	cudaFree(out);
	cudaFree(coef);
}
