#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cudaError_t code) {
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(code));
    std::exit(2);
}

// grid-stride loop, so any grid size works
__global__ void relu(const float* __restrict__ in, float* __restrict__ out, size_t n) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        out[i] = fmaxf(in[i], 0.0f);
    }
}

int main(int argc, char** argv) {
    size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
    std::vector<float> in(n), out(n);
    for (size_t i = 0; i < n; ++i) in[i] = float(int(i % 2001) - 1000) * 0.001f;

    float *d_in, *d_out;
    must(cudaMalloc(&d_in, n * sizeof(float)));
    must(cudaMalloc(&d_out, n * sizeof(float)));
    must(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    int device, sms;
    must(cudaGetDevice(&device));
    must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    size_t needed = (n + 255) / 256;
    size_t limit = (size_t)sms * 16;
    int blocks = (int)(needed < limit ? needed : limit);
    relu<<<blocks, 256>>>(d_in, d_out, n);
    must(cudaGetLastError());

    must(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    size_t positive = 0;
    for (float v : out) {
        sum += v;
        positive += v > 0;
    }
    std::printf("positive: %zu of %zu, sum %.3f\n", positive, n, sum);
    must(cudaFree(d_in));
    must(cudaFree(d_out));
}
