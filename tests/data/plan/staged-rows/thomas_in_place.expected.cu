// kernel=thomas_batch line=12 finding=KO101
#include <cstdio>
template <typename T>
__global__ void thomas_batch(const T *__restrict__ lo, const T *__restrict__ di, const T *__restrict__ up, T *__restrict__ rhs,
                             T *__restrict__ work, int m, int systems)
{
    int sys = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = sys < systems;
    T c_prev = 0, d_prev = 0;
    __shared__ T di_tile[64][32 + 1];
    __shared__ T lo_tile[64][32 + 1];
    __shared__ T up_tile[64][32 + 1];
    __shared__ T rhs_tile[64][32 + 1];
    __shared__ T work_tile[64][32 + 1];
    for (int chunk = 0; chunk < m; chunk += 32) {
        const int column = threadIdx.x % 32;
        const int at = chunk + column;
        const int chunk_end = min(chunk + 32, m);
        if (at < chunk_end)
            for (int r = threadIdx.x / 32; r < 64; r += 2) {
                const int other_sys = blockIdx.x * blockDim.x + r;
                if (other_sys < systems) {
                    di_tile[r][column] = di[other_sys * m + at];
                    lo_tile[r][column] = lo[other_sys * m + at];
                    up_tile[r][column] = up[other_sys * m + at];
                    rhs_tile[r][column] = rhs[other_sys * m + at];
                }
            }
        __syncthreads();
        if (is_inside)
            for (int k = chunk; k < chunk_end; k++) {
                T inv = T(1) / (di_tile[threadIdx.x][k - chunk] - lo_tile[threadIdx.x][k - chunk] * c_prev);
                c_prev = up_tile[threadIdx.x][k - chunk] * inv;
                d_prev = (rhs_tile[threadIdx.x][k - chunk] - lo_tile[threadIdx.x][k - chunk] * d_prev) * inv;
                work_tile[threadIdx.x][k - chunk] = c_prev;
                rhs_tile[threadIdx.x][k - chunk] = d_prev;
            }
        __syncthreads();
        if (at < chunk_end)
            for (int r = threadIdx.x / 32; r < 64; r += 2) {
                const int other_sys = blockIdx.x * blockDim.x + r;
                if (other_sys < systems) {
                    rhs[other_sys * m + at] = rhs_tile[r][column];
                    work[other_sys * m + at] = work_tile[r][column];
                }
            }
    }
    T x = 0;
    __syncthreads();
    for (int chunk = m - 1; chunk >= 0; chunk -= 32) {
        const int column = threadIdx.x % 32;
        const int at = chunk - column;
        const int chunk_end = max(chunk - 32, -1);
        if (at > chunk_end)
            for (int r = threadIdx.x / 32; r < 64; r += 2) {
                const int other_sys = blockIdx.x * blockDim.x + r;
                if (other_sys < systems) {
                    rhs_tile[r][column] = rhs[other_sys * m + at];
                    work_tile[r][column] = work[other_sys * m + at];
                }
            }
        __syncthreads();
        if (is_inside)
            for (int k = chunk; k > chunk_end; k--) {
                x = rhs_tile[threadIdx.x][chunk - k] - work_tile[threadIdx.x][chunk - k] * x;
                rhs_tile[threadIdx.x][chunk - k] = x;
            }
        __syncthreads();
        if (at > chunk_end)
            for (int r = threadIdx.x / 32; r < 64; r += 2) {
                const int other_sys = blockIdx.x * blockDim.x + r;
                if (other_sys < systems)
                    rhs[other_sys * m + at] = rhs_tile[r][column];
            }
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
