// The three stages in one kernel; what is squared is never negative in this program.
#include <cstdio>
#include <vector>

struct Signal {
    float *in;
    float *out;
    int n;
};

__global__ void stages(Signal s, const float *weights, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= s.n) return;
    float f = fminf(s.in[i] * weights[i % 64], limit);
    s.out[i] = f * f;
}

int main() {
    const int n = 5000;
    std::vector<float> x(n), w(64), y(n);
    unsigned seed = 11;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (seed >> 12) / 1048576.0f;
    }
    for (int i = 0; i < 64; i++) w[i] = 0.5f + i / 64.0f;
    Signal s;
    s.n = n;
    float *weights;
    cudaMalloc(&s.in, n * sizeof(float));
    cudaMalloc(&s.out, n * sizeof(float));
    cudaMalloc(&weights, 64 * sizeof(float));
    cudaMemcpy(s.in, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(weights, w.data(), 64 * sizeof(float), cudaMemcpyHostToDevice);
    stages<<<(n + 255) / 256, 256>>>(s, weights, 1.2f);
    cudaMemcpy(y.data(), s.out, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float value : y) sum += value;
    printf("sum %.6f\n", sum);
}
