// kernel=Mixdown line=6 finding=KO126
#include <cmath>
#include <cstdio>
#include <vector>
#define BLK 224
static __device__ __forceinline__ float dbToAmp(float db) { return exp10f(db * 0.05f); }

__global__ void Mixdown(float *outBuf, const float *wave, const float *gainDb, int frames, int voices)
{
	int t = threadIdx.x + blockIdx.x * blockDim.x;
	if (t < frames)
	{
		float s = 0.f;
		for (int v = 0; v < voices; v++)
			s += wave[(v * 13 + t) % frames] * dbToAmp(gainDb[v]);
		outBuf[t] = s;
	}
}

int main()
{
	const int frames = 3001, voices = 19;
	std::vector<float> w(frames), g(voices), o(frames);
	for (int i = 0; i < frames; i++) w[i] = (i % 17) * 0.1f - 0.8f;
	for (int i = 0; i < voices; i++) g[i] = -3.f * i;
	float *dw, *dg, *dout;
	cudaMalloc(&dw, frames * sizeof(float));
	cudaMalloc(&dg, voices * sizeof(float));
	cudaMalloc(&dout, frames * sizeof(float));
	cudaMemcpy(dw, w.data(), frames * sizeof(float), cudaMemcpyHostToDevice);
	cudaMemcpy(dg, g.data(), voices * sizeof(float), cudaMemcpyHostToDevice);
	Mixdown<<<(frames + BLK - 1) / BLK, BLK>>>(dout, dw, dg, frames, voices);
	cudaMemcpy(o.data(), dout, frames * sizeof(float), cudaMemcpyDeviceToHost);
	for (int t = 0; t < frames; t++) {
		double want = 0;
		for (int v = 0; v < voices; v++) want += w[(v * 13 + t) % frames] * std::pow(10.0, g[v] / 20.0);
		if (!(std::fabs(o[t] - want) < 1e-4)) return std::printf("FAIL %d: %g %g\n", t, o[t], want), 1;
	}
	return std::puts("PASS"), 0;
}
