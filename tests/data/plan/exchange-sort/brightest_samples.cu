// kernel=brightest line=21 finding=KO117
#include <cstdio>
#include <vector>
#include <algorithm>

struct Sample
{
	float value;
	int frame;
};

// the four brightest frames of each pixel; the dimmest of them first
__global__ void brightest(const float *frames, Sample *out, int pixels, int count)
{
	const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
	if (pixel >= pixels)
		return;
	Sample top[4] = {{-1.f, -1}, {-1.f, -1}, {-1.f, -1}, {-1.f, -1}};
	for (int f = 0; f < count; ++f)
	{
		Sample now = {frames[f * pixels + pixel], f};
		int at = 0;
		if (now.value <= top[0].value) continue;
		while (at < 3 && top[at + 1].value < now.value)
		{
			top[at] = top[at + 1];
			++at;
		}
		top[at] = now;
	}
	for (int k = 0; k < 4; ++k)
		out[pixel * 4 + k] = top[k];
}

int main()
{
	const int pixels = 500, count = 60;
	float *frames;
	Sample *out;
	cudaMallocManaged(&frames, pixels * count * sizeof(float));
	cudaMallocManaged(&out, pixels * 4 * sizeof(Sample));
	for (int i = 0; i < pixels * count; i++) frames[i] = i * 7919 % 503;
	brightest<<<(pixels + 127) / 128, 128>>>(frames, out, pixels, count);
	cudaDeviceSynchronize();
	for (int p = 0; p < pixels; p++)
	{
		std::vector<float> all;
		for (int f = 0; f < count; f++) all.push_back(frames[f * pixels + p]);
		std::sort(all.begin(), all.end());
		for (int k = 0; k < 4; k++)
			if (out[p * 4 + k].value != all[count - 4 + k] || frames[out[p * 4 + k].frame * pixels + p] != out[p * 4 + k].value) return printf("FAIL %d\n", p), 1;
	}
	return puts("PASS"), 0;
}
