// kernel=logsoftmax line=16 finding=KO118
// log-softmax of logits with temperatures, one block of 128 per row; columns need not divide
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cfloat>
template <typename Real, int THREADS>
__global__ void logsoftmax(const Real* in, const Real* bias, Real* out, unsigned cols)
{
    __shared__ Real part[THREADS / 32];
    const unsigned tid = threadIdx.x;
    const Real* src = &in[(size_t)blockIdx.x * cols];
    Real* dst = &out[(size_t)blockIdx.x * cols];
    Real m = -FLT_MAX;
    for (unsigned j = tid; j < cols; j += THREADS) {
        Real t = src[j] + bias[j];
        m = t > m ? t : m;
    }
    for (int d = 16; d; d /= 2) m = fmaxf(m, __shfl_down_sync(~0u, m, d));
    if (tid % 32 == 0) part[tid / 32] = m;
    __syncthreads();
    m = part[0];
    for (int i = 1; i < THREADS / 32; ++i) m = fmaxf(m, part[i]);
    __syncthreads();
    Real s = 0;
    for (unsigned j = tid; j < cols; j += THREADS) s += expf(src[j] + bias[j] - m);
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (tid % 32 == 0) part[tid / 32] = s;
    __syncthreads();
    s = part[0];
    for (int i = 1; i < THREADS / 32; ++i) s += part[i];
    const Real l = m + logf(s);
    for (unsigned j = tid; j < cols; j += THREADS) dst[j] = src[j] + bias[j] - l;
}
int main(int argc, char** argv)
{
    unsigned R = argc > 1 ? atoi(argv[1]) : 1027, C = argc > 2 ? atoi(argv[2]) : 1284;
    size_t n = (size_t)R * C;
    std::vector<float> a(n), b(C);
    for (size_t i = 0; i < n; i++) a[i] = ((i * 37) % 1009) * 0.01f - 4;
    for (unsigned i = 0; i < C; i++) b[i] = 0.01f * (i % 13);
    float *da, *db, *dy;
    cudaMalloc(&da, n * 4); cudaMalloc(&db, C * 4); cudaMalloc(&dy, n * 4);
    cudaMemcpy(da, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), C * 4, cudaMemcpyHostToDevice);
    logsoftmax<float, 128><<<R, 128>>>(da, db, dy, C);
    cudaMemcpy(a.data(), dy, n * 4, cudaMemcpyDeviceToHost);
    double s = 0; for (size_t i = 0; i < n; i++) s += a[i] * (i % 3);
    printf("%.4f\n", s);
    cudaFree(da); cudaFree(db); cudaFree(dy);
}
