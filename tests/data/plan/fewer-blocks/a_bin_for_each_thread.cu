// kernel=histo_kernel line=18 finding=KO110
#include <cstdio>
#include <cstdlib>

// launch with 256 threads: one for each bin
__global__ void histo_kernel(unsigned char *buffer, long size, unsigned int *histo) {
    __shared__ unsigned int temp[256];
    temp[threadIdx.x] = 0;
    __syncthreads();

    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int offset = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&temp[buffer[i]], 1);
        i += offset;
    }
    __syncthreads();
    atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

int main(void) {
    const long size = 20000;
    unsigned char *buffer = (unsigned char *)malloc(size), *dev_buffer;
    for (long i = 0; i < size; i++) buffer[i] = (i * 167 + (i >> 5)) % 256;
    unsigned int histo[256], *dev_histo;
    cudaMalloc((void **)&dev_buffer, size);
    cudaMemcpy(dev_buffer, buffer, size, cudaMemcpyHostToDevice);
    cudaMalloc((void **)&dev_histo, 256 * sizeof(int));
    cudaMemset(dev_histo, 0, 256 * sizeof(int));
    int blocks = 12;
    histo_kernel<<<blocks * 2, 256>>>(dev_buffer, size, dev_histo);
    cudaMemcpy(histo, dev_histo, 256 * sizeof(int), cudaMemcpyDeviceToHost);
    long histoCount = 0;
    for (int i = 0; i < 256; i++) histoCount += histo[i];
    printf("Histogram Sum: %ld\n", histoCount);
    return 0;
}
