// kernel=sensor_means line=13 finding=KO111 technique=split-k
#include <cstdio>
#include <cstdlib>

const int THREADS = 64;

__global__ void sensor_means(const double *readings, double *mean, int sensors, int times)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sensors)
        return;
    mean[s] = 0.0;
    for (int t = 0; t < times; ++t)
        mean[s] += readings[t * sensors + s] / times;
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
    sensor_means<<<(sensors + THREADS - 1) / THREADS, THREADS>>>(dev_readings, dev_mean, sensors, times);
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
