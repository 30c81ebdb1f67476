// kernel=mass line=21 finding=KO115 technique=block-shuffles
#define NT 64

__global__ void mass(const float *rho, const float *vol, double *m, double *v, int nx, int ny)
{
    __shared__ double sm[NT / 32], sv[NT / 32];
    int tid = threadIdx.x;
    int x = blockIdx.x * NT + tid;
    int y = blockIdx.y;

    int cell = y * nx + x;
    double thread_sm = 0.0;
    double thread_sv = 0.0;
    if (x < nx && y < ny) {
        float r = rho[cell];
        // cells of vacuum count for nothing
        float inside = r > 1e-6f ? vol[cell] : 0.0f;
        thread_sm = r * inside;
        thread_sv = inside;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        thread_sm += __shfl_down_sync(0xffffffff, thread_sm, offset);
        thread_sv += __shfl_down_sync(0xffffffff, thread_sv, offset);
    }
    if (tid % 32 == 0) {
        sm[tid / 32] = thread_sm;
        sv[tid / 32] = thread_sv;
    }
    __syncthreads();
    if (tid == 0 && x < nx && y < ny) {
        for (int warp = 1; warp < NT / 32; warp++) {
            thread_sm += sm[warp];
            thread_sv += sv[warp];
        }
        m[y * gridDim.x + blockIdx.x] = thread_sm;
        v[y * gridDim.x + blockIdx.x] = thread_sv;
    }
}

void run(const float *rho, const float *vol, double *m, double *v, int nx, int ny)
{
    mass<<<dim3((nx + NT - 1) / NT, ny), NT>>>(rho, vol, m, v, nx, ny);
}
