// kernel=bank line=11 finding=KO101
#define SECTIONS 2

__global__ void bank(float *out, const float *in, const float *coef, int channels, int samples)
{
    int ch = blockIdx.x * blockDim.x + threadIdx.x;
    if (ch >= channels)
        return;

    float s[SECTIONS] = {0.0f, 0.0f};
    for (int t = 0; t < samples; t++) {
        float v = in[ch * samples + t];
        for (int k = 0; k < SECTIONS; k++) {
            const float *c = coef + (ch * SECTIONS + k) * 2;
            s[k] = c[0] * v + c[1] * s[k];
            v = v - s[k];
        }
        out[ch * samples + t] = v;
    }
}

int main()
{
    float *in, *out, *coef;
    cudaMalloc(&in, 1000 * 400 * sizeof(float));
    cudaMalloc(&out, 1000 * 400 * sizeof(float));
    cudaMalloc(&coef, 1000 * 4 * sizeof(float));
    bank<<<16, 64>>>(out, in, coef, 1000, 400);
    cudaDeviceSynchronize();
}
