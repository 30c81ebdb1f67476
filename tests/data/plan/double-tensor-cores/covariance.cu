// kernel=covar line=14 finding=KO102
// Differences from a mean as factors, an alias for double, and what the loop holds in locals.
typedef double real_t;

__global__ void covar(const real_t *__restrict__ samples, const real_t *__restrict__ mean, real_t *__restrict__ cov, int features, int count)
{
    const int q = blockIdx.x * 16 + threadIdx.x;
    const int p = blockIdx.y * 16 + threadIdx.y;
    if (p >= features || q >= features)
        return;

    // over all samples
    real_t s = 0;
    for (int t = 0; t < count; ++t) {
        const real_t dp = samples[t * features + p] - mean[p];
        const real_t dq = samples[t * features + q] - mean[q];
        s += dp * dq;
    }
    s /= count - 1;
    cov[p * features + q] = s;
}

void covariance(const real_t *samples, const real_t *mean, real_t *cov, int features, int count)
{
    covar<<<dim3((features + 15) / 16, (features + 15) / 16), dim3(16, 16)>>>(samples, mean, cov, features, count);
}
