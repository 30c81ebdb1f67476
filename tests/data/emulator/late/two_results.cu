// Two results come back, the second of them first: the stream that is waited for first got its copy last.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void set(int* x, int value) { x[threadIdx.x] = value; }
__global__ void scale(int* x, const int* y) { x[threadIdx.x] *= y[threadIdx.x]; }

int main() {
    int *x, *y, *first, *second;
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    cudaMallocHost(&first, 128);
    cudaMallocHost(&second, 64);
    set<<<1, 32, 0, one>>>(x, 7);
    cudaMemcpyAsync(first, x, 128, cudaMemcpyDeviceToHost, one);
    set<<<1, 32, 0, other>>>(y, 2);
    scale<<<1, 32, 0, other>>>(y, x);  // nothing makes it wait for x
    cudaMemcpyAsync(second, y, 64, cudaMemcpyDeviceToHost, other);
    cudaStreamSynchronize(other);
    cudaStreamSynchronize(one);
    printf("%d %d\n", first[0], second[0]);
}
