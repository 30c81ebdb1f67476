// kernel=fir line=12 finding=KO122
#include <cstdio>
#include <cstdlib>
#define TAPS 96

__global__ void fir(const float *signal, const float *coeffs, float *out, int n)
{
    __shared__ float taps[TAPS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // coefficients are the same for every output
    if (threadIdx.x == 0) {
        for (int k = 0; k < TAPS; k++)
            taps[k] = coeffs[k];
    }
    __syncthreads();
    if (i >= n) return;
    float acc = 0.0f;
    for (int k = 0; k < TAPS && k <= i; k++)
        acc += taps[k] * signal[i - k];
    out[i] = acc;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 20000;
    float *signal = (float *)malloc(n * sizeof(float)), coeffs[TAPS];
    for (int i = 0; i < n; i++) signal[i] = (i * 31 % 97) / 97.0f;
    for (int k = 0; k < TAPS; k++) coeffs[k] = 1.0f / (k + 2);
    float *d_signal, *d_coeffs, *d_out;
    cudaMalloc(&d_signal, n * sizeof(float));
    cudaMalloc(&d_coeffs, sizeof(coeffs));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_signal, signal, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_coeffs, coeffs, sizeof(coeffs), cudaMemcpyHostToDevice);
    fir<<<(n + 127) / 128, 128>>>(d_signal, d_coeffs, d_out, n);
    cudaMemcpy(signal, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; i++) sum += signal[i];
    printf("%.4f\n", sum);
    return 0;
}
