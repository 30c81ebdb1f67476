#include <cstdio>
#include <cstdlib>
#include <vector>
struct Stats { float mean, variance; };

__global__ void scale(float *x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }

__global__ void stats(const float *x, int n, float *out)
{
    float sum = 0.f, squares = 0.f;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    out[0] = sum / n;
    out[1] = squares / n - (sum / n) * (sum / n);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 20011;
    std::vector<float> x(n);
    for (int i = 0; i < n; i++) x[i] = (i % 17) * 0.25f;
    float *d, *out; Stats s;
    cudaMalloc(&d, n * sizeof(float)); cudaMalloc(&out, sizeof(Stats));
    cudaMemcpy(d, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 255) / 256, 256>>>(d, 0.5f, n);
    stats<<<1, 1>>>(d, n, out);
    cudaMemcpy(&s, out, sizeof(s), cudaMemcpyDeviceToHost);
    printf("%f %f\n", s.mean, s.variance);
}
