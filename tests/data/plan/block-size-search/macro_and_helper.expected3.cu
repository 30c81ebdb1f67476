// kernel=triple line=13 finding=KO112
#include <cstdio>
#include <vector>


#define THREADS 512
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

template <typename T>
__global__ void triple(T *out, const T *in, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
        out[i] = T(3) * in[i];
}

static void run(float *out, const float *in, int n) {
    triple<float><<<CEIL_DIV(n, THREADS), THREADS>>>(out, in, n);
}

int main() {
    const int n = 10007;
    std::vector<float> h(n), r(n);
    for (int i = 0; i < n; i++) h[i] = float(i);
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    run(out, in, n);
    cudaMemcpy(r.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < n; i++) bad += r[i] != 3.0f * h[i];
    printf("%s\n", bad ? "FAIL" : "PASS");
    return bad != 0;
}
