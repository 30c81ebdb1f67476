// kernel=histogram_kernel line=10 finding=KO110
#include <stdio.h>
#define NUM_BINS 256

__global__ void histogram_kernel(const unsigned char *buffer, long size, unsigned int *histo)
{
	__shared__ unsigned int block_histo[NUM_BINS];
	for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
		block_histo[bin] = 0;
	__syncthreads();
	long i = threadIdx.x + (long)blockIdx.x * blockDim.x;

	while (i < size) {
		atomicAdd(&block_histo[buffer[i]], 1);
		i += (long)blockDim.x * gridDim.x;
	}
	__syncthreads();
	for (int bin = threadIdx.x; bin < NUM_BINS; bin += blockDim.x)
		atomicAdd(&histo[bin], block_histo[bin]);
}

int main() {
    const int n = 30001;
    unsigned char *in, *h = new unsigned char[n];
    for (int i = 0; i < n; i++) h[i] = i * 77 % 251;
    cudaMalloc(&in, n * sizeof(unsigned char));
    cudaMemcpy(in, h, n * sizeof(unsigned char), cudaMemcpyHostToDevice);
    unsigned int histo[NUM_BINS], *d_histo;
    cudaMalloc((void **)&d_histo, sizeof(histo));
    cudaMemset(d_histo, 0, sizeof(histo));
    histogram_kernel<<<6, 256>>>(in, n, d_histo);
    cudaMemcpy(histo, d_histo, sizeof(histo), cudaMemcpyDeviceToHost);
    for (int i = 0; i < NUM_BINS; i += 9) printf("%u ", histo[i]);
    return 0;
}
