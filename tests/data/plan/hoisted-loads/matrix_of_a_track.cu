// kernel=track line=14 finding=KO113
#define DIM 3

template <class Real>
__global__ void track(Real * est, const Real * meas, const Real * F, const Real * K, long tracks, int steps)
{
    long tr = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (tr >= tracks) return;
    Real x[DIM] = {0, 0, 0};
    for (int k = 0; k < steps; ++k) {
        Real p[DIM];
        for (int i = 0; i < DIM; ++i) {
            p[i] = 0;
            for (int j = 0; j < DIM; ++j) p[i] += F[(tr % 4 * DIM + i) * DIM + j] * x[j];
        }
        Real r = meas[k * tracks + tr] - p[0];
        for (int i = 0; i < DIM; ++i) {
            x[i] = p[i] + K[tr * DIM + i] * r;
            est[(k * DIM + i) * tracks + tr] = x[i];
        }
    }
}

int main()
{
    double *est, *meas, *F, *K;
    cudaMalloc(&est, 8 * 777 * 90 * DIM);
    cudaMalloc(&meas, 8 * 777 * 90);
    cudaMalloc(&F, 8 * 4 * DIM * DIM);
    cudaMalloc(&K, 8 * 777 * DIM);
    track<double><<<5, 160>>>(est, meas, F, K, 777L, 90);
}
