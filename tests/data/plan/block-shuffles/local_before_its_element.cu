// kernel=kinetic line=15 finding=KO115
#define NT 256
typedef float real;

// kinetic energy, each thread takes two particles
__global__ void kinetic(const real *v, const real *m, real *e, int n)
{
  __shared__ real sdata[NT];
  int i = blockIdx.x*NT*2 + threadIdx.x;
  real my = 0.0;
  if(i < n) my = 0.5f*m[i]*v[i]*v[i];
  if(i + NT < n) my += 0.5f*m[i+NT]*v[i+NT]*v[i+NT];
  sdata[threadIdx.x] = my;
  __syncthreads();
  for(int s = NT/2; s > 0; s >>= 1)
  {
    if(threadIdx.x < s)
    {
      my += sdata[threadIdx.x + s];
      sdata[threadIdx.x] = my;
    }
    __syncthreads();
  }
  if(threadIdx.x == 0) {
    e[blockIdx.x] = my;
    if (my < 0)
      e[gridDim.x] = -1;
  }
}

void run(const real *v, const real *m, real *e, int n)
{
  kinetic<<<(n + 2*NT - 1)/(2*NT), NT>>>(v, m, e, n);
}
