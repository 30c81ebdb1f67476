// kernel=diagonal line=7 finding=KO113
struct Csr { int n; const int *rowptr, *col; const double *val; };

__global__ void diagonal(Csr A, double *inverse)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < A.n) for (int k = A.rowptr[r]; k < A.rowptr[r + 1]; k++)
        if (A.col[k] == r) inverse[r] = 1.0 / A.val[k];
}

void run(Csr A, double *inverse) { diagonal<<<(A.n + 127) / 128, 128>>>(A, inverse); }
