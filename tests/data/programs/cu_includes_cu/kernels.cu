// included by main.cu (whole program in one unit, the inliner likes it); do not add to the makefile!
#include "types.inl"

__global__ void dist2(const pt *p, const pt *q, float *out, int n)
{
    int i = blockIdx.x*blockDim.x+threadIdx.x;
    if(i<n) out[i] = sq(p[i].x-q[i].x) + sq(p[i].y-q[i].y);
}

void run_dist2(const pt *p, const pt *q, float *out, int n)
{
    dist2<<<(n+63)/64,64>>>(p,q,out,n);
}
