// kernel=thomas_batch line=12 finding=KO101
#include <cstdio>
template <typename T>
__global__ void thomas_batch(const T *__restrict__ lo, const T *__restrict__ di, const T *__restrict__ up, T *__restrict__ rhs,
                             T *__restrict__ work, int m, int systems)
{
    int sys = blockIdx.x * blockDim.x + threadIdx.x;
    if (sys >= systems)
        return;
    T c_prev = 0, d_prev = 0;
    for (int k = 0; k < m; k++) {
        T inv = T(1) / (di[sys * m + k] - lo[sys * m + k] * c_prev);
        c_prev = up[sys * m + k] * inv;
        d_prev = (rhs[sys * m + k] - lo[sys * m + k] * d_prev) * inv;
        work[sys * m + k] = c_prev;
        rhs[sys * m + k] = d_prev;
    }
    T x = 0;
    for (int k = m - 1; k >= 0; k--) {
        x = rhs[sys * m + k] - work[sys * m + k] * x;
        rhs[sys * m + k] = x;
    }
}

int main()
{
    const int systems = 131, m = 70;
    float *lo, *di, *up, *rhs, *work;
    for (float **each : {&lo, &di, &up, &rhs, &work})
        cudaMallocManaged(each, systems * m * sizeof(float));
    for (int i = 0; i < systems * m; i++) {
        lo[i] = -0.3f - i % 7 * 0.01f;
        up[i] = -0.2f - i % 5 * 0.02f;
        di[i] = 1.5f + i % 3 * 0.1f;
        rhs[i] = i % 11 * 0.1f;
    }
    thomas_batch<float><<<(systems + 63) / 64, 64>>>(lo, di, up, rhs, work, m, systems);
    cudaDeviceSynchronize();
    double sum = 0;
    for (int i = 0; i < systems * m; i++)
        sum += rhs[i] * (i % 4 + 1);
    printf("%.4f\n", sum);
}
