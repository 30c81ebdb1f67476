// usage: bench_transpose [size]
#include "common.cuh"

int main(int argc, char *argv[]) {
    int n = argc > 1 ? std::atoi(argv[1]) : 64;
    float *in, *out;
    CUDA_OK(cudaMalloc(&in, size_t(n) * n * 4));
    CUDA_OK(cudaMalloc(&out, size_t(n) * n * 4));
    CUDA_OK(cudaMemset(in, 0, size_t(n) * n * 4));
    CUDA_OK(cudaMemset(out, 1, size_t(n) * n * 4));
    for (int r = 0; r < 3; ++r)
        run_transpose<16>(in, out, n, n);
    float last = -1.f;
    CUDA_OK(cudaMemcpy(&last, out + size_t(n) * n - 1, 4, cudaMemcpyDeviceToHost));
    std::printf("bench n=%d last=%g %s\n", n, last, last == 0.f ? "ok" : "WRONG");
    cudaFree(in);
    cudaFree(out);
    return last == 0.f ? 0 : 1;
}
