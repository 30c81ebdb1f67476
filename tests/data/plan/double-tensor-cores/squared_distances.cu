// kernel=distances line=10 finding=KO108
// Each difference follows from a row and a column together: no product of two sides.
__global__ void distances(const double *points, double *out, int n, int dim)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        double sum = 0;
        for (int d = 0; d < dim; d++) {
            double diff = points[i * dim + d] - points[j * dim + d];
            sum += diff * diff;
        }
        out[i * n + j] = sum;
    }
}

void run(const double *points, double *out, int n, int dim)
{
    distances<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(points, out, n, dim);
}
