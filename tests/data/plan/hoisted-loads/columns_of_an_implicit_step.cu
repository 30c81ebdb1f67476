// kernel=sweep line=13 finding=KO113
#define IDX(i, k) ((k) * NX + (i))

/* Thomas algorithm along each column; diffusivity differs per column */
__global__ void sweep(double *u, double *cp, double *diff, double *sink, int NX, int NY, double dt)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= NX) return;
    cp[IDX(i, 0)] = -dt * diff[i] / (1.0 + 2.0 * dt * diff[i] + sink[i]);
    u[IDX(i, 0)] = u[IDX(i, 0)] / (1.0 + 2.0 * dt * diff[i] + sink[i]);
    for (int k = 1; k < NY; k++) {
        double m = 1.0 + 2.0 * dt * diff[i] + sink[i] + dt * diff[i] * cp[IDX(i, k - 1)];
        cp[IDX(i, k)] = -dt * diff[i] / m;
        u[IDX(i, k)] = (u[IDX(i, k)] + dt * diff[i] * u[IDX(i, k - 1)]) / m;
    }
    for (int k = NY - 2; k >= 0; k--)
        u[IDX(i, k)] -= cp[IDX(i, k)] * u[IDX(i, k + 1)];
}

int main()
{
    double *u, *cp, *diff, *sink;
    cudaMalloc((void **)&u, 8 * 700 * 200);
    cudaMalloc((void **)&cp, 8 * 700 * 200);
    cudaMalloc((void **)&diff, 8 * 700);
    cudaMalloc((void **)&sink, 8 * 700);
    sweep<<<6, 128>>>(u, cp, diff, sink, 700, 200, 0.25);
}
