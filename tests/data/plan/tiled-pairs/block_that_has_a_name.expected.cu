// kernel=density line=8 finding=KO108
enum { BLOCK = 128 };
__global__ void density(const double *x, const double *y, double *rho, double mass, size_t count) {
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool is_inside = i < count;
    double sum = 0.0;
    const double own_x = is_inside ? x[i] : 0.0;
    const double own_y = is_inside ? y[i] : 0.0;
    __shared__ double2 xy_tile[BLOCK];
    for (size_t tile = 0; tile < count; tile += BLOCK) {
        const size_t item = tile + threadIdx.x;
        if (item < count)
            xy_tile[threadIdx.x] = make_double2(x[item], y[item]);
        __syncthreads();
        const size_t tile_end = tile + BLOCK < count ? tile + BLOCK : count;
        if (is_inside) {
            #pragma unroll 4
            for (size_t k = tile; k < tile_end; k++) {
                double dx = own_x - xy_tile[k - tile].x, dy = own_y - xy_tile[k - tile].y;
                double q = 0.01 - dx * dx - dy * dy;
                if (q > 0.0)
                    sum += mass * q * q * q;
            }
        }
        __syncthreads();
    }
    if (is_inside) rho[i] = sum;
}

void run(const double *x, const double *y, double *rho, double mass, size_t count) {
    density<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, rho, mass, count);
}
