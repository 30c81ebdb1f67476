// kernel=scale line=12 finding=KO107
#include <cstdio>

// 2-D rows, tabs, launch in a loop; the loop is the only statement of the if.
__global__ void scale(float (*sums)[16], const float *in, int n)
{
	int r = blockIdx.x;
	int c = threadIdx.x;

	if (r < n)
		for (int k = 0; k < 8; k++)
			sums[r][c] += in[r * 8 + k] * c;
}

int main()
{
	const int n = 10;
	float *sums, *in;
	cudaMallocManaged(&sums, n * 16 * sizeof(float));
	cudaMallocManaged(&in, n * 8 * sizeof(float));
	for (int i = 0; i < n * 16; i++)
		sums[i] = 0;
	for (int i = 0; i < n * 8; i++)
		in[i] = 1;
	for (int pass = 0; pass < 3; pass++)
		scale<<<n + 2, 16>>>((float (*)[16])sums, in, n);
	cudaDeviceSynchronize();
	for (int i = 0; i < n * 16; i++)
		if (sums[i] != 24.0f * (i % 16)) {
			puts("FAIL");
			return 1;
		}
	puts("PASS");
	return 0;
}
