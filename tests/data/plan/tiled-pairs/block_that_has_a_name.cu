// kernel=density line=8 finding=KO108
enum { BLOCK = 128 };
__global__ void density(const double *x, const double *y, double *rho, double mass, size_t count) {
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        double sum = 0.0;
#pragma unroll 4
        for (size_t k = 0; k < count; k++) {
            double dx = x[i] - x[k], dy = y[i] - y[k];
            double q = 0.01 - dx * dx - dy * dy;
            if (q > 0.0)
                sum += mass * q * q * q;
        }
        rho[i] = sum;
    }
}

void run(const double *x, const double *y, double *rho, double mass, size_t count) {
    density<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, rho, mass, count);
}
