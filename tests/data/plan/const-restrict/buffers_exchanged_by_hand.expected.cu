// kernel=diffuse line=13 finding=KO113
#include <cstdio>
#include <cstdlib>

struct Grid { float *now; float *next; int n; };

__global__ void diffuse(float *__restrict__ next, const float *__restrict__ now, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const float *centre = now + i;
	next[i] = 0.5f * *centre;
	next[i] += 0.25f * now[i ? i - 1 : n - 1];
	next[i] += 0.25f * now[i + 1 < n ? i + 1 : 0];
}

int main()
{
	const int n = 128;
	float *now, *next;
	cudaMallocManaged(&now, n * sizeof(float));
	cudaMallocManaged(&next, n * sizeof(float));
	for (int i = 0; i < n; i++)
		now[i] = 2;
	for (int step = 0; step < 3; step++) {
		diffuse<<<n / 32, 32>>>(next, now, n);
		float *exchanged = now;
		now = next;
		next = exchanged;
	}
	cudaDeviceSynchronize();
	for (int i = 0; i < n; i++)
		if (now[i] != 2)
			return puts("FAIL"), EXIT_FAILURE;
	puts("PASS");
	return EXIT_SUCCESS;
}
