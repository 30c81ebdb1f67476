// kernel=apply_bank line=22 finding=KO108
#include <cstdio>
#include <cstdlib>

// each signal through each filter; slot = signal * filters + filter
__global__ void apply_bank(const double *signal, const double *taps, double *response,
                           int length, int filters, int taps_per_filter)
{
    const int slot = blockIdx.y;
    const int which = slot / filters;
    const int filter = slot % filters;
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < length)
    {
        double level = 0.0;
        for (int j = 0; j < taps_per_filter; ++j)
        {
            int at = t - j;
            if (at < 0)
                continue;
            level += signal[which * length + at]
                     * taps[filter * taps_per_filter + j];
        }
        response[(which * filters + filter) * length + t] = level;
    }
}

int main(int argc, char **argv)
{
    const int signals = 7, filters = argc > 1 ? atoi(argv[1]) : 13, length = 5003, taps = 9;
    double *signal, *weights, *response;
    cudaMallocManaged(&signal, signals * length * sizeof(double));
    cudaMallocManaged(&weights, filters * taps * sizeof(double));
    cudaMallocManaged(&response, signals * filters * length * sizeof(double));
    for (int i = 0; i < signals * length; ++i) signal[i] = (i * 31 % 97) / 97.0;
    for (int i = 0; i < filters * taps; ++i) weights[i] = (i * 7 % 11) / 11.0 - 0.4;
    apply_bank<<<dim3((length + 127) / 128, signals * filters), 128>>>(signal, weights, response, length, filters, taps);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    double sum = 0;
    for (int i = 0; i < signals * filters * length; ++i) sum += response[i] * (i % 3 + 1);
    printf("%.9g\n", sum);
    return 0;
}
