// kernel=layer line=9 finding=KO111
#include <cstdio>

__global__ void layer(const float *w, const float *x, const float *bias, float *out, int inputs, int outputs)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= outputs) return;
    float sum = bias[o];
    for (int i = 0; i < inputs; i++) sum += w[i * outputs + o] * x[i];
    out[o] = sum;
}

int main()
{
    int inputs = 300, outputs = 64;
    float *w, *x, *bias, *out;
    cudaMallocManaged(&w, inputs * outputs * sizeof(float));
    cudaMallocManaged(&x, inputs * sizeof(float));
    cudaMallocManaged(&bias, outputs * sizeof(float));
    cudaMallocManaged(&out, outputs * sizeof(float));
    for (int i = 0; i < inputs * outputs; i++) w[i] = i % 9;
    for (int i = 0; i < inputs; i++) x[i] = i % 3;
    for (int o = 0; o < outputs; o++) bias[o] = o;
    layer<<<(outputs + 63) / 64, 64>>>(w, x, bias, out, inputs, outputs);
    cudaDeviceSynchronize();
    printf("%.3f\n", out[5]);
    return 0;
}
