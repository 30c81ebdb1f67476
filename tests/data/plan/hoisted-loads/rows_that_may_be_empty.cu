// kernel=scaled line=7 finding=KO113
__global__ void scaled(float *out, const float *val, const float *scale, const int *start, const int *head, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (int k = start[row]; k < start[row + 1]; ++k)
        out[k] = val[k] * scale[head[row]];
}

int main()
{
    float *out, *val, *scale;
    int *start, *head;
    cudaMalloc(&out, 4 * 5000);
    cudaMalloc(&val, 4 * 5000);
    cudaMalloc(&scale, 4 * 100);
    cudaMalloc(&start, 4 * 1001);
    cudaMalloc(&head, 4 * 1000);
    scaled<<<8, 128>>>(out, val, scale, start, head, 1000);
}
