// particles.cu - toy solver, grew over the years. build: nvcc -O2 particles.cu -o particles
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

// our own smart pointer, everybody has one
template <typename T>
struct DeviceArray {
    T *p = nullptr;
    size_t count = 0;
    explicit DeviceArray(size_t n) : count(n) { CHECK(cudaMalloc(&p, n * sizeof(T))); CHECK(cudaMemset(p, 0, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(p); }
    T *get() { return p; }
    void put(const std::vector<T> &h) { CHECK(cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice)); }
};

struct Box { int width, height; float cell; };

// ping-pong through an array of two pointers
__global__ void diffuse(float *next, float *cur, int n, float rate) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) next[i] = cur[i] + rate * (cur[i - 1] - 2.0f * cur[i] + cur[i + 1]);
}

// sums of rows, element of global memory as the accumulator
__global__ void row_sums(float *sums, float *m, Box box) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < box.height) {
        sums[row] = 0.0f;
        for (int k = 0; k < box.width; k++)
            sums[row] += m[row * box.width + k];
    }
}

// both halves of one pool
__global__ void mix(float *lo, float *hi, int half) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < half) lo[i] = 0.5f * (lo[i] + hi[i]);
}

// y = a*y + x; once, late, it is called in place
__global__ void bump(float *y, float *x, int n, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * y[i] + x[i];
}

// weights are optional; x starts one element in
__global__ void weigh(float *out, float *x, float *weights, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] * (weights ? weights[i] : 1.0f);
}

int main(int argc, char **argv) {
    const int n = 1024;
    std::vector<float> h(n + 1);
    for (int i = 0; i <= n; i++) h[i] = (i * 37 % 101) * 0.01f;

    float *buf[2];
    for (int b = 0; b < 2; b++) { CHECK(cudaMalloc(&buf[b], n * sizeof(float))); CHECK(cudaMemcpy(buf[b], h.data(), n * 4, cudaMemcpyHostToDevice)); }
    int cur = 0;
    for (int t = 0; t < 24; t++) {
        diffuse<<<(n + 127) / 128, 128>>>(buf[1 - cur], buf[cur], n, 0.25f);
        cur = 1 - cur;
    }

    Box box{24, 40, 0.5f};
    DeviceArray<float> m(n), sums(64);
    m.put(std::vector<float>(h.begin(), h.begin() + n));
    row_sums<<<1, 64>>>(sums.get(), m.get(), box);

    float *pool;
    CHECK(cudaMalloc(&pool, n * sizeof(float)));
    CHECK(cudaMemcpy(pool, h.data(), n * 4, cudaMemcpyHostToDevice));
    mix<<<4, 128>>>(pool, pool + n / 2, n / 2);

    DeviceArray<float> x(n + 1), y(n + 1);
    x.put(h); y.put(h);
    for (int t = 0; t < 20; t++) bump<<<8, 128>>>(y.get(), t == 17 ? y.get() : x.get(), n, 0.5f);

    weigh<<<8, 128>>>(y.get(), x.get() + 1, nullptr, n);
    weigh<<<4, 128>>>(y.get(), x.get() + 1, m.get(), n / 2);

    float total = 0, out[64];
    CHECK(cudaMemcpy(h.data(), buf[cur], n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) total += h[i];
    CHECK(cudaMemcpy(h.data(), pool, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) total += h[i];
    CHECK(cudaMemcpy(h.data(), y.get(), n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) total += h[i];
    CHECK(cudaMemcpy(out, sums.get(), 40 * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 40; i++) total += out[i];
    printf("total %.4f\n", total);
    return 0;
}
