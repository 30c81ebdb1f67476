// kernel=covar line=14 finding=KO102
// Differences from a mean as factors, an alias for double, and what the loop holds in locals.
typedef double real_t;

__global__ void covar(const real_t *__restrict__ samples, const real_t *__restrict__ mean, real_t *__restrict__ cov, int features, int count)
{
    // over all samples
    __shared__ double samples_p_tile[16][68];
    __shared__ double samples_q_tile[16][68];
    const int thread = threadIdx.y * 16 + threadIdx.x;
    const int lane = thread % 32;
    const int warp_p = thread / 64 * 32, warp_q = thread / 32 % 2 * 32;
    // a lane's sums of 16 x 8: rows lane / 4 and + 8, columns lane % 4 * 2 and + 1
    double s[2][4][4] = {};
    // each round loads a tile while it multiplies the one before; the last round only multiplies
    for (int start = 0; start < count + 16; start += 16) {
        double samples_p_next[8];
        #pragma unroll
        for (int e = 0; e < 16; e += 2) {
            const int p = blockIdx.y * 64 + thread % 64;
            const int t = start + e + thread / 64;
            samples_p_next[e / 2] = p < features && t < count ? samples[t * features + p] - mean[p] : 0.0;
        }
        double samples_q_next[8];
        #pragma unroll
        for (int e = 0; e < 16; e += 2) {
            const int q = blockIdx.x * 64 + thread % 64;
            const int t = start + e + thread / 64;
            samples_q_next[e / 2] = q < features && t < count ? samples[t * features + q] - mean[q] : 0.0;
        }
        if (start > 0) {
            #pragma unroll
            for (int step = 0; step < 16; step += 4) {
                double samples_p_reg[2][2];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    samples_p_reg[i][0] = samples_p_tile[step + lane % 4][warp_p + i * 16 + lane / 4];
                    samples_p_reg[i][1] = samples_p_tile[step + lane % 4][warp_p + i * 16 + lane / 4 + 8];
                }
                double samples_q_reg[4];
                #pragma unroll
                for (int j = 0; j < 4; ++j)
                    samples_q_reg[j] = samples_q_tile[step + lane % 4][warp_q + j * 8 + lane / 4];
                #pragma unroll
                for (int i = 0; i < 2; ++i) {
                    #pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                            : "+d"(s[i][j][0]), "+d"(s[i][j][1]), "+d"(s[i][j][2]), "+d"(s[i][j][3])
                            : "d"(samples_p_reg[i][0]), "d"(samples_p_reg[i][1]), "d"(samples_q_reg[j]));
                    }
                }
            }
        }
        __syncthreads();
        #pragma unroll
        for (int e = 0; e < 16; e += 2)
            samples_p_tile[e + thread / 64][thread % 64] = samples_p_next[e / 2];
        #pragma unroll
        for (int e = 0; e < 16; e += 2)
            samples_q_tile[e + thread / 64][thread % 64] = samples_q_next[e / 2];
        __syncthreads();
    }
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int p = blockIdx.y * 64 + warp_p + i * 16 + lane / 4 + e / 2 * 8;
                const int q = blockIdx.x * 64 + warp_q + j * 8 + lane % 4 * 2 + e % 2;
                if (p < features && q < features) {
                    s[i][j][e] /= count - 1;
                    cov[p * features + q] = s[i][j][e];
                }
            }
        }
    }
}

void covariance(const real_t *samples, const real_t *mean, real_t *cov, int features, int count)
{
    covar<<<dim3((features + 63) / 64, (features + 63) / 64), dim3(16, 8)>>>(samples, mean, cov, features, count);
}
