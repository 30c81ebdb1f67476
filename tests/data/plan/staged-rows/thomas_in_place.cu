// kernel=thomas_batch line=11 finding=KO101
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

void solve(const float *lo, const float *di, const float *up, float *rhs, float *work, int m, int systems)
{
    thomas_batch<float><<<(systems + 63) / 64, 64>>>(lo, di, up, rhs, work, m, systems);
}
