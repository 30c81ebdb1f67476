// kernel=splitParts line=12 finding=KO118
#include <cstdio>
#include <cstdlib>

// even and odd part of a signal around its middle; one sample more than there are intervals
__global__ void splitParts(const double* signal, double* even, double* odd, int intervals)
{
    const int stride = blockDim.x * gridDim.x;
    const bool aligned = (reinterpret_cast<size_t>(signal) | reinterpret_cast<size_t>(even) | reinterpret_cast<size_t>(odd)) % 16 == 0 && (intervals + 1) % 2 == 0;
    for (int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2; first < intervals + 1; first += stride * 2) {
        if (aligned && first + 2 <= intervals + 1) {
            alignas(16) double signal2[2];
            *reinterpret_cast<double2 *>(signal2) = *reinterpret_cast<const double2 *>(signal + first);
            alignas(16) double signal2_mirrored[2];
            *reinterpret_cast<double2 *>(signal2_mirrored) = *reinterpret_cast<const double2 *>(signal + (intervals - first - 1));
            alignas(16) double even2[2];
            alignas(16) double odd2[2];
            #pragma unroll
            for (int k = 0; k < 2; ++k) {
                const double a = signal2[k], b = signal2_mirrored[1 - k];
                even2[k] = 0.5 * (a + b);
                odd2[k] = 0.5 * (a - b);
            }
            *reinterpret_cast<double2 *>(even + first) = *reinterpret_cast<double2 *>(even2);
            *reinterpret_cast<double2 *>(odd + first) = *reinterpret_cast<double2 *>(odd2);
        } else {
            for (int i = first; i < intervals + 1 && i < first + 2; ++i) {
                const int other = intervals - i;
                const double a = signal[i], b = signal[other];
                even[i] = 0.5 * (a + b);
                odd[i] = 0.5 * (a - b);
            }
        }
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
