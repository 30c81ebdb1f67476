// kernel=reduce6 line=37 finding=KO115
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

// the last six steps are done by one warp
template <unsigned int blockSize>
__device__ void warpReduce(volatile double *sdata, unsigned int tid)
{
	if (blockSize >= 64) sdata[tid] += sdata[tid + 32];
	if (blockSize >= 32) sdata[tid] += sdata[tid + 16];
	if (blockSize >= 16) sdata[tid] += sdata[tid + 8];
	if (blockSize >= 8) sdata[tid] += sdata[tid + 4];
	if (blockSize >= 4) sdata[tid] += sdata[tid + 2];
	if (blockSize >= 2) sdata[tid] += sdata[tid + 1];
}

template <unsigned int blockSize>
__global__ void reduce6(const double *g_idata, double *g_odata, unsigned int n)
{
	__shared__ double sdata[blockSize];
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
	sdata[tid] = mySum;
	__syncthreads();

	if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
	if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
	if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }

	if (tid < 32) warpReduce<blockSize>(sdata, tid);
	if (tid == 0) g_odata[blockIdx.x] = sdata[0];
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
