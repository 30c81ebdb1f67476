// kernel=track line=8 finding=KO113
__global__ void track(float *est, const float *meas, const float *F, const int *model, int tracks, int steps)
{
    int tr = blockIdx.x * blockDim.x + threadIdx.x;
    if (tr >= tracks) return;
    int m = model[tr];
    for (int k = 0; k < steps; ++k)
        est[k * tracks + tr] = meas[k * tracks + tr] * F[m];
}

int main()
{
    float *est, *meas, *F;
    int *model;
    cudaMalloc(&est, 4 * 777 * 90);
    cudaMalloc(&meas, 4 * 777 * 90);
    cudaMalloc(&F, 4 * 4);
    cudaMalloc(&model, 4 * 777);
    track<<<5, 160>>>(est, meas, F, model, 777, 90);
}
