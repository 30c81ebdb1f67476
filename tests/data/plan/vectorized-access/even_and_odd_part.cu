// kernel=splitParts line=12 finding=KO118
#include <cstdio>
#include <cstdlib>

// even and odd part of a signal around its middle; one sample more than there are intervals
__global__ void splitParts(const double* signal, double* even, double* odd, int intervals)
{
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < intervals + 1; i += stride)
    {
        const int other = intervals - i;
        const double a = signal[i], b = signal[other];
        even[i] = 0.5 * (a + b);
        odd[i] = 0.5 * (a - b);
    }
}

int main(int argc, char** argv)
{
    const int intervals = argc > 1 ? atoi(argv[1]) : 7001;
    const int samples = intervals + 1;
    double *signal, *even, *odd;
    cudaMallocManaged(&signal, samples * sizeof(double));
    cudaMallocManaged(&even, samples * sizeof(double));
    cudaMallocManaged(&odd, samples * sizeof(double));
    for (int i = 0; i < samples; ++i)
        signal[i] = (i * 37 % 1009) / 1009.0 + i * 1e-4;
    splitParts<<<20, 96>>>(signal, even, odd, intervals);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < samples; ++i)
        sum += even[i] * (i % 3) + odd[i] * (i % 7);
    printf("%.9f\n", sum);
    return 0;
}
