// kernel=simulate line=14 finding=KO113
typedef struct { double kp, ki, kd, lo, hi; } Gains;

__global__ void simulate(Gains *gains, double *tau, double *trace, double target, double dt, int n, int steps)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        Gains *g = &gains[id];
        double pos = 0.0, integ = 0.0, prev = target;
        int k;
        for (k = 0; k < steps; k++) {
            double err = target - pos;
            integ += err * dt;
            double u = g->kp * err + g->ki * integ + g->kd * (err - prev) / dt;
            prev = err;
            if (u < g->lo) u = g->lo;
            if (u > g->hi) u = g->hi;
            pos += dt * (u - pos) / tau[id];
            trace[k * n + id] = pos;
        }
    }
}

int main()
{
    Gains *gains;
    double *tau, *trace;
    cudaMalloc(&gains, 900 * sizeof(Gains));
    cudaMalloc(&tau, 900 * 8);
    cudaMalloc(&trace, 900 * 200 * 8);
    simulate<<<29, 32>>>(gains, tau, trace, 1.0, 0.01, 900, 200);
}
