// kernel=smooth line=6 finding=KO108
__global__ void smooth(const float *weights, const float *value, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 9; k++) sum = sum * value[i] + weights[k];
    if (i < n) out[i] = sum;
}

void run(const float *weights, const float *value, float *out, int n) { smooth<<<n / 128, 128>>>(weights, value, out, n); }
