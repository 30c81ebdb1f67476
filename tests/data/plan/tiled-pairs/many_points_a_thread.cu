// kernel=nearest line=6 finding=KO108
__global__ void nearest(const float *x, const float *centre, int *label, int n, int centres)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float best = 1e30f;
        for (int c = 0; c < centres; c++) {
            float d = fabsf(x[i] - centre[c]);
            if (d < best) { best = d; label[i] = c; }
        }
    }
}

void run(const float *x, const float *centre, int *label, int n, int centres) { nearest<<<160, 256>>>(x, centre, label, n, centres); }
