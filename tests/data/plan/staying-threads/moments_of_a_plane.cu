// kernel=mass line=21 finding=KO115 technique=block-shuffles
#define NT 64

__global__ void mass(const float *rho, const float *vol, double *m, double *v, int nx, int ny)
{
    __shared__ double sm[NT], sv[NT];
    int tid = threadIdx.x;
    int x = blockIdx.x * NT + tid;
    int y = blockIdx.y;
    if (x >= nx || y >= ny) return;

    int cell = y * nx + x;
    float r = rho[cell];
    // cells of vacuum count for nothing
    float inside = r > 1e-6f ? vol[cell] : 0.0f;

    sm[tid] = r * inside;
    sv[tid] = inside;
    __syncthreads();

    for (int s = NT / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sm[tid] += sm[tid + s];
            sv[tid] += sv[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) {
        m[y * gridDim.x + blockIdx.x] = sm[0];
        v[y * gridDim.x + blockIdx.x] = sv[0];
    }
}

void run(const float *rho, const float *vol, double *m, double *v, int nx, int ny)
{
    mass<<<dim3((nx + NT - 1) / NT, ny), NT>>>(rho, vol, m, v, nx, ny);
}
