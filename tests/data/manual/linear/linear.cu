// y = relu(x W^T + bias): x is batch x in, W is out x in, both row-major.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } } while (0)

__global__ void linear_relu(const float* x, const float* w, const float* bias, float* y, int batch, int in, int out)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    int b = blockIdx.y;
    if (o < out) {
        float acc = bias[o];
        for (int i = 0; i < in; i++) {
            acc += x[b * in + i] * w[o * in + i];
        }
        y[b * out + o] = acc > 0 ? acc : 0;
    }
}

int main(int argc, char** argv)
{
    const int batch = argc > 1 ? atoi(argv[1]) : 96;
    const int in = argc > 2 ? atoi(argv[2]) : 160;
    const int out = argc > 3 ? atoi(argv[3]) : 192;
    std::vector<float> x(batch * in), w(out * in), bias(out), y(batch * out);
    srand(7);
    for (auto& v : x) v = rand() / (float)RAND_MAX - 0.5f;
    for (auto& v : w) v = (rand() / (float)RAND_MAX - 0.5f) * 0.1f;
    for (auto& v : bias) v = (rand() / (float)RAND_MAX - 0.5f) * 0.01f;
    float *dx, *dw, *dbias, *dy;
    CHECK(cudaMalloc(&dx, x.size() * 4));
    CHECK(cudaMalloc(&dw, w.size() * 4));
    CHECK(cudaMalloc(&dbias, bias.size() * 4));
    CHECK(cudaMalloc(&dy, y.size() * 4));
    CHECK(cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dw, w.data(), w.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dbias, bias.data(), bias.size() * 4, cudaMemcpyHostToDevice));
    linear_relu<<<dim3((out + 127) / 128, batch), 128>>>(dx, dw, dbias, dy, batch, in, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(y.data(), dy, y.size() * 4, cudaMemcpyDeviceToHost));
    double s = 0;
    for (float v : y) s += v;
    printf("sum of activations: %.5f\n", s);
    cudaFree(dx); cudaFree(dw); cudaFree(dbias); cudaFree(dy);
}
