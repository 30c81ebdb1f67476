// One step of heat on a rod, in steps of dt.
__global__ void heat_step(float *next, const float *now, int n, float r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        next[i] = now[i] + r * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
    else if (i < n)
        next[i] = now[i];
}
