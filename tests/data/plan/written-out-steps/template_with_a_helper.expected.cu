// kernel=reduce6 line=37 finding=KO115
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

template <unsigned int blockSize>
__global__ void reduce6(const double *g_idata, double *g_odata, unsigned int n)
{
	__shared__ double sdata[blockSize / 32];
	unsigned int tid = threadIdx.x;
	unsigned int i = blockIdx.x * (blockSize * 2) + tid;
	unsigned int gridSize = blockSize * 2 * gridDim.x;

	double mySum = 0;
	while (i < n)
	{
		mySum += g_idata[i];
		if (i + blockSize < n)
			mySum += g_idata[i + blockSize];
		i += gridSize;
	}
	for (int offset = 16; offset > 0; offset /= 2)
		mySum += __shfl_down_sync(0xffffffff, mySum, offset);
	if (tid % 32 == 0)
		sdata[tid / 32] = mySum;
	__syncthreads();
	if (tid == 0) {
		for (int warp = 1; warp < blockSize / 32; warp++)
			mySum += sdata[warp];
		g_odata[blockIdx.x] = mySum;
	}
}

int main()
{
	const unsigned int n = 20000, blocks = 16;
	std::vector<double> in(n), out(blocks);
	for (unsigned int i = 0; i < n; i++)
		in[i] = (i % 100) / 7.0;
	double *d_in, *d_out;
	cudaMalloc(&d_in, n * sizeof(double));
	cudaMalloc(&d_out, blocks * sizeof(double));
	cudaMemcpy(d_in, in.data(), n * sizeof(double), cudaMemcpyHostToDevice);
	reduce6<128><<<blocks, 128>>>(d_in, d_out, n);
	cudaMemcpy(out.data(), d_out, blocks * sizeof(double), cudaMemcpyDeviceToHost);
	double sum = 0;
	for (double v : out)
		sum += v;
	std::cout << sum << std::endl;
	cudaFree(d_in);
	cudaFree(d_out);
	return 0;
}
