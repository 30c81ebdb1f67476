// kernel=kinetic line=15 finding=KO115
#define NT 256
typedef float real;

// kinetic energy, each thread takes two particles
__global__ void kinetic(const real *v, const real *m, real *e, int n)
{
  __shared__ real sdata[NT / 32];
  int i = blockIdx.x*NT*2 + threadIdx.x;
  real my = 0.0;
  if(i < n) my = 0.5f*m[i]*v[i]*v[i];
  if(i + NT < n) my += 0.5f*m[i+NT]*v[i+NT]*v[i+NT];
  for (int offset = 16; offset > 0; offset /= 2)
    my += __shfl_down_sync(0xffffffff, my, offset);
  if (threadIdx.x % 32 == 0)
    sdata[threadIdx.x / 32] = my;
  __syncthreads();
  if (threadIdx.x == 0)
  {
    for (int warp = 1; warp < NT / 32; warp++)
      my += sdata[warp];
    e[blockIdx.x] = my;
    if (my < 0)
      e[gridDim.x] = -1;
  }
}

void run(const real *v, const real *m, real *e, int n)
{
  kinetic<<<(n + 2*NT - 1)/(2*NT), NT>>>(v, m, e, n);
}
