// kernel=sensor_means line=13 finding=KO111 technique=split-k
#include <cstdio>
#include <cstdlib>

const int THREADS = 64;

__global__ void sensor_means(const double *readings, double *mean, int sensors, int times)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sensors)
        return;
    double mean_acc = 0.0;
    const int share = (times + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * share, end = min(times, begin + share);
    for (int t = begin; t < end; ++t)
        mean_acc += readings[t * sensors + s] / times;
    atomicAdd(&mean[s], mean_acc);
}

int main(int argc, char **argv)
{
    const int sensors = argc > 1 ? atoi(argv[1]) : 120, times = argc > 2 ? atoi(argv[2]) : 700;
    double *readings = new double[sensors * times], *mean = new double[sensors];
    for (int i = 0; i < sensors * times; ++i)
        readings[i] = 20.0 + (i * 37 % 101) * 0.1;
    double *dev_readings, *dev_mean;
    cudaMalloc(&dev_readings, sensors * times * sizeof(double));
    cudaMalloc(&dev_mean, sensors * sizeof(double));
    cudaMemcpy(dev_readings, readings, sensors * times * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemset(dev_mean, 0, sensors * sizeof(double));
    sensor_means<<<dim3((sensors + THREADS - 1) / THREADS, 32), THREADS>>>(dev_readings, dev_mean, sensors, times);
    if (cudaGetLastError() != cudaSuccess) return 1;
    cudaMemcpy(mean, dev_mean, sensors * sizeof(double), cudaMemcpyDeviceToHost);
    for (int s = 0; s < sensors; s += 17)
        printf("%d: %.6f\n", s, mean[s]);
    cudaFree(dev_readings);
    cudaFree(dev_mean);
    delete[] readings;
    delete[] mean;
    return 0;
}
