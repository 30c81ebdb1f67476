// kernel=dense line=14 finding=KO108
#include <cstdio>
#define BLOCK 256

// y = x * w + bias for a batch of inputs; a row of the grid for each input
__global__ void dense(const float *x, const float *w, const float *bias, float *y, int batch, int inputs, int outputs)
{
    int sample = blockIdx.y;
    int unit = blockIdx.x * BLOCK + threadIdx.x;
    if (unit >= outputs)
        return;

    float acc = bias[unit];
    for (int i = 0; i < inputs; ++i)
        acc += x[sample * inputs + i] * w[i * outputs + unit];
    y[sample * outputs + unit] = acc > 0.0f ? acc : 0.0f;
}

int main()
{
    int batch = 37, inputs = 50, outputs = 70;
    float *x, *w, *bias, *y;
    cudaMallocManaged(&x, batch * inputs * sizeof(float));
    cudaMallocManaged(&w, inputs * outputs * sizeof(float));
    cudaMallocManaged(&bias, outputs * sizeof(float));
    cudaMallocManaged(&y, batch * outputs * sizeof(float));
    for (int i = 0; i < batch * inputs; i++) x[i] = i % 7 - 3;
    for (int i = 0; i < inputs * outputs; i++) w[i] = i % 5 * 0.25f;
    for (int i = 0; i < outputs; i++) bias[i] = i % 3;
    dim3 grid((outputs + BLOCK - 1) / BLOCK, batch);
    dense<<<grid, BLOCK>>>(x, w, bias, y, batch, inputs, outputs);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < batch * outputs; i++) sum += y[i];
    printf("%f\n", sum);
    return 0;
}
