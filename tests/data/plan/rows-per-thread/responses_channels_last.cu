// kernel=responses line=17 finding=KO108
__global__ void responses(const double *__restrict__ field, const double *__restrict__ kern, double *__restrict__ resp,
                          int rows, int cols, int feats, int outs)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int i = blockIdx.y * blockDim.y + threadIdx.y;
    const int first_o = blockIdx.z * 2;
    int o[2];
    for (int n = 0; n < 2; n++)
        o[n] = min(first_o + n, outs - 1);
    if (i < rows - 4 && j < cols - 2) {
        double total[2] = {};
        for (int f = 0; f < feats; ++f)
            for (int u = 0; u < 5; ++u)
                for (int v = 0; v < 3; ++v)
                    for (int n = 0; n < 2; n++)
                        total[n] += field[((i + u) * cols + j + v) * feats + f] * kern[((o[n] * 5 + u) * 3 + v) * feats + f];
        for (int n = 0; n < 2; n++)
            resp[((size_t)i * (cols - 2) + j) * outs + o[n]] = total[n];
    }
}

void run(const double *field, const double *kern, double *resp, int rows, int cols, int feats, int outs)
{
    responses<<<dim3((cols + 29) / 32, (rows - 1) / 4, (outs + 1) / 2), dim3(32, 4)>>>(field, kern, resp, rows, cols, feats, outs);
}
