// kernel=responses line=17 finding=KO108
__global__ void responses(const double *__restrict__ field, const double *__restrict__ kern, double *__restrict__ resp,
                          int rows, int cols, int feats, int outs)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    const int first_i = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
    const int first_o = blockIdx.z * 2;
    int o[2];
    for (int n = 0; n < 2; n++)
        o[n] = min(first_o + n, outs - 1);
    if (first_i < rows - 4 && j < cols - 2) {
        double total[4][2] = {};
        for (int f = 0; f < feats; ++f) {
            double field_window[8][3];
            bool is_inside[8][3];
            #pragma unroll
            for (int u = 0; u < 8; ++u) {
                #pragma unroll
                for (int v = 0; v < 3; ++v) {
                    is_inside[u][v] = first_i + u < (rows - 4) + 4;
                    if (is_inside[u][v])
                        field_window[u][v] = field[((first_i + u) * cols + j + v) * feats + f];
                }
            }
            #pragma unroll
            for (int u = 0; u < 5; ++u) {
                #pragma unroll
                for (int v = 0; v < 3; ++v) {
                    double kern_value[2] = {};
                    #pragma unroll
                    for (int n = 0; n < 2; n++)
                        kern_value[n] = kern[((o[n] * 5 + u) * 3 + v) * feats + f];
                    #pragma unroll
                    for (int q = 0; q < 4; q++) {
                        if (is_inside[u + q][v]) {
                            #pragma unroll
                            for (int n = 0; n < 2; n++)
                                total[q][n] += field_window[u + q][v] * kern_value[n];
                        }
                    }
                }
            }
        }
        #pragma unroll
        for (int q = 0; q < 4; q++) {
            const int i = first_i + q;
            if (i < rows - 4) {
                for (int n = 0; n < 2; n++)
                    resp[((size_t)i * (cols - 2) + j) * outs + o[n]] = total[q][n];
            }
        }
    }
}

void run(const double *field, const double *kern, double *resp, int rows, int cols, int feats, int outs)
{
    responses<<<dim3((cols + 29) / 32, ((rows - 1) / 4 + 3) / 4, (outs + 1) / 2), dim3(32, 4)>>>(field, kern, resp, rows, cols, feats, outs);
}
