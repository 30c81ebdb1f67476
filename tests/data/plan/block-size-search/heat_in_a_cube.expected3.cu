// kernel=heat line=14 finding=KO101
#define BX 64
#define BY 2
#define BZ 2
#define AT(i, j, k) ((k) * ny * nx + (j) * nx + (i))

__global__ void heat(const double *t, double *next, int nx, int ny, int nz, double a)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  const int j = threadIdx.y + blockIdx.y * blockDim.y;
  const int k = threadIdx.z + blockIdx.z * blockDim.z;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1)
    next[AT(i, j, k)] = t[AT(i, j, k)]
      + a * (t[AT(i + 1, j, k)] + t[AT(i - 1, j, k)] + t[AT(i, j + 1, k)] + t[AT(i, j - 1, k)]
      + t[AT(i, j, k + 1)] + t[AT(i, j, k - 1)] - 6 * t[AT(i, j, k)]);
}

static int up(int n, int d) { return (n + d - 1) / d; }

void run(const double *t, double *next, int nx, int ny, int nz)
{
  heat<<<dim3(up(nx, BX), up(ny, BY), up(nz, BZ)), dim3(BX, BY, BZ)>>>(t, next, nx, ny, nz, 0.1);
}
