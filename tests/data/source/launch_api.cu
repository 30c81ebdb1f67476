#include <cuda_runtime.h>

template <typename T> __global__ void scale(T *p, T factor, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] *= factor; }
__global__ void step(float *p, int n) { p[n - 1] += 1.f; }

int main()
{
    float *p = nullptr, factor = 2;
    int n = 100;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    void *arguments[] = {&p, &factor, (void *)&n};
    dim3 grid(4), block(128);
    cudaLaunchKernel((void *)scale<float>, grid, block, arguments, 0, stream);
    cudaLaunchKernel(reinterpret_cast<const void *>(&scale<float>), dim3(1), dim3(32), arguments, 16, stream);
    void *others[2] = {&p, &n};
    while (n-- > 90)
        cudaLaunchCooperativeKernel((const void *)step, grid, block, others);
    do
        step<<<grid, block, n * sizeof(float), stream /* own */>>>(p, n);
    while (--n > 80);
    return cudaStreamDestroy(stream);
}
