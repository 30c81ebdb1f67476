#ifndef STATS_CUH
#define STATS_CUH
/* column statistics of data[n][m] */

#define EPS 0.005f

__global__ void columnMeans(const float *data, float *mean, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        float s = 0;
        for (int i = 0; i < n; i++)
            s += data[i * m + j];
        mean[j] = s / n;
    }
}

__global__ void columnStddevs(const float *data, const float *mean, float *stddev, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < m) {
        float s = 0;
        for (int i = 0; i < n; i++)
            s += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
        s = sqrtf(s / n);
        stddev[j] = s <= EPS ? 1.0f : s; /* constant columns */
    }
}

__global__ void standardize(float *data, const float *mean, const float *stddev, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < m)
        data[i * m + j] = (data[i * m + j] - mean[j]) / (sqrtf((float)n) * stddev[j]);
}

#endif
