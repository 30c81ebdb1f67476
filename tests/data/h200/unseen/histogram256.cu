#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

typedef unsigned char uchar_t;
const int BINS = 256;

__global__ void histo_global(const uchar_t *buffer, long size, unsigned int *histo)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int stride = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&histo[buffer[i]], 1);
        i += stride;
    }
}

__global__ void histo_shared(const uchar_t *buffer, long size, unsigned int *histo)
{
    __shared__ unsigned int temp[BINS];
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

// coarse histogram: 8 sub-histograms, one per warp, merged at the end
__global__ void histo_warp(const unsigned int *data, int nwords, unsigned int *histo)
{
    __shared__ unsigned int sub[8][64];
    unsigned int *flat = &sub[0][0];
    for (int k = threadIdx.x; k < 8 * 64; k += blockDim.x) flat[k] = 0;
    __syncthreads();
    unsigned int *mine = sub[threadIdx.x / 32];
    for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < nwords; p += gridDim.x * blockDim.x) {
        unsigned int w = data[p];
        atomicAdd(mine + ((w >>  2) & 0x3F), 1u);
        atomicAdd(mine + ((w >> 10) & 0x3F), 1u);
        atomicAdd(mine + ((w >> 18) & 0x3F), 1u);
        atomicAdd(mine + ((w >> 26) & 0x3F), 1u);
    }
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned int s = 0;
        for (int w = 0; w < 8; w++) s += sub[w][threadIdx.x];
        atomicAdd(histo + threadIdx.x, s);
    }
}

int main()
{
    const long SIZE = 120000;   // multiple of four
    uchar_t *buf = (uchar_t *)malloc(SIZE);
    unsigned s = 7;
    for (long i = 0; i < SIZE; i++) { s = s * 1103515245u + 12345u; buf[i] = (uchar_t)(((s >> 16) & 0xff) * ((s >> 24) & 0xff) >> 8); }
    unsigned ref[256] = {0}, ref64[64] = {0}, h1[256], h2[256], h3[64];
    for (long i = 0; i < SIZE; i++) { ref[buf[i]]++; ref64[buf[i] >> 2]++; }

    uchar_t *d; unsigned *dh;
    cudaMalloc(&d, SIZE);
    cudaMalloc(&dh, (256 + 256 + 64) * sizeof(unsigned));
    cudaMemset(dh, 0, (256 + 256 + 64) * sizeof(unsigned));
    cudaMemcpy(d, buf, SIZE, cudaMemcpyHostToDevice);
    histo_global<<<40, 256>>>(d, SIZE, dh);
    histo_shared<<<40, 256>>>(d, SIZE, dh + 256);
    histo_warp<<<20, 256>>>((const unsigned *)d, SIZE / 4, dh + 512);
    cudaMemcpy(h1, dh, sizeof h1, cudaMemcpyDeviceToHost);
    cudaMemcpy(h2, dh + 256, sizeof h2, cudaMemcpyDeviceToHost);
    cudaMemcpy(h3, dh + 512, sizeof h3, cudaMemcpyDeviceToHost);
    int ok = cudaGetLastError() == cudaSuccess && !memcmp(ref, h1, sizeof ref) && !memcmp(ref, h2, sizeof ref) && !memcmp(ref64, h3, sizeof h3);
    printf("histogram256 %s\n", ok ? "PASS" : "FAIL");
    free(buf);
    return !ok;
}
