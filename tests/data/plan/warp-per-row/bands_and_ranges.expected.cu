// kernel=features line=17 finding=KO101
#include <cstdio>
#include <cmath>

constexpr int BANDS = 6, POLES = 2;

// of every recording its energy in six bands, and the range of two filters' outputs
__global__ void features(const float *signal, const float *weights, float *bands, float *ranges, int recordings, int samples)
{
	const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;
	if (r < recordings)
	{
		float energy[BANDS] = {0.0f};
		float low[POLES], high[POLES];
		for (int p = 0; p < POLES; ++p)
			low[p] = 1e30f, high[p] = -1e30f;
		for (int t = lane; t < samples; t += 32)
		{
			const float v = signal[r * samples + t];
			for (int b = 0; b < BANDS; ++b)
				energy[b] += v * v * weights[b * samples + t];
			for (int p = 0; p < POLES; ++p)
			{
				low[p] = fminf(low[p], v - p);
				high[p] = high[p] > v * p ? high[p] : v * p;
			}
		}
		#pragma unroll
		for (int k = 0; k < BANDS; k++)
			for (int offset = 16; offset > 0; offset /= 2)
				energy[k] += __shfl_xor_sync(0xffffffff, energy[k], offset);
		#pragma unroll
		for (int k = 0; k < POLES; k++)
			for (int offset = 16; offset > 0; offset /= 2)
			{
				low[k] = fminf(low[k], __shfl_xor_sync(0xffffffff, low[k], offset));
				high[k] = fmaxf(high[k], __shfl_xor_sync(0xffffffff, high[k], offset));
			}
		if (lane == 0)
		{
			for (int b = 0; b < BANDS; ++b)
				bands[r * BANDS + b] = energy[b] / samples;
			for (int p = 0; p < POLES; ++p)
				ranges[r * POLES + p] = high[p] - low[p];
		}
	}
}

int main()
{
	const int recordings = 150, samples = 401;
	float *signal, *weights, *bands, *ranges;
	cudaMallocManaged(&signal, recordings * samples * sizeof(float));
	cudaMallocManaged(&weights, BANDS * samples * sizeof(float));
	cudaMallocManaged(&bands, recordings * BANDS * sizeof(float));
	cudaMallocManaged(&ranges, recordings * POLES * sizeof(float));
	for (int i = 0; i < recordings * samples; i++) signal[i] = i * 7919 % 1000 / 500.0f - 1.0f;
	for (int i = 0; i < BANDS * samples; i++) weights[i] = i * 31 % 17 / 17.0f;
	features<<<(recordings + 1) / 2, 64>>>(signal, weights, bands, ranges, recordings, samples);
	cudaDeviceSynchronize();
	for (int i = 0; i < recordings * BANDS; i++)
	{
		double energy = 0;
		for (int t = 0; t < samples; t++)
			energy += pow(signal[i / BANDS * samples + t], 2) * weights[i % BANDS * samples + t];
		if (fabs(bands[i] - energy / samples) > 1e-5) return printf("FAIL %d\n", i), 1;
	}
	return puts("PASS"), 0;
}
