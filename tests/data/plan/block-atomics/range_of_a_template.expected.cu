// kernel=range_of line=9 finding=KO110
#include <cstdio>
#include <cstdlib>
typedef unsigned int u32;
template<class V, int SKIP> __global__ void range_of(const V * __restrict__ rd, int cnt, V *lo, V *hi, u32 *bad){
  int t = blockIdx.x*blockDim.x+threadIdx.x;
  V thread_lo = INT_MAX;
  V thread_hi = INT_MIN;
  unsigned int thread_bad = 0;
  if (t*SKIP < cnt) {
    V r = rd[t*SKIP];
    thread_lo = min(thread_lo, r);
    thread_hi = max(thread_hi, r);
    if (r % 13 == 0) thread_bad += 1u;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    thread_lo = min(thread_lo, __shfl_down_sync(0xffffffff, thread_lo, offset));
    thread_hi = max(thread_hi, __shfl_down_sync(0xffffffff, thread_hi, offset));
    thread_bad += __shfl_down_sync(0xffffffff, thread_bad, offset);
  }
  __shared__ V warp_lo[3];
  __shared__ V warp_hi[3];
  __shared__ unsigned int warp_bad[3];
  if (threadIdx.x % 32 == 0) {
    warp_lo[threadIdx.x / 32] = thread_lo;
    warp_hi[threadIdx.x / 32] = thread_hi;
    warp_bad[threadIdx.x / 32] = thread_bad;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < 3; warp++) {
      thread_lo = min(thread_lo, warp_lo[warp]);
      thread_hi = max(thread_hi, warp_hi[warp]);
      thread_bad += warp_bad[warp];
    }
    atomicMin(lo, thread_lo);
    atomicMax(hi, thread_hi);
    atomicAdd(bad, thread_bad);
  }
}
int main(int c, char**v){
  int cnt = c>1?atoi(v[1]):300001;
  int *h = new int[cnt]; for(int i=0;i<cnt;i++) h[i] = (int)((i*2654435761u)>>8) - 7000000;
  int *d,*lo,*hi; u32 *bad; cudaMalloc(&d,cnt*4); cudaMalloc(&lo,4); cudaMalloc(&hi,4); cudaMalloc(&bad,4);
  cudaMemcpy(d,h,cnt*4,cudaMemcpyHostToDevice);
  int big=0x7fffffff, small=-big-1; u32 z=0;
  cudaMemcpy(lo,&big,4,cudaMemcpyHostToDevice); cudaMemcpy(hi,&small,4,cudaMemcpyHostToDevice); cudaMemcpy(bad,&z,4,cudaMemcpyHostToDevice);
  range_of<int,2><<<(cnt/2+1+95)/96,96>>>(d,cnt,lo,hi,bad);
  int a,b; cudaMemcpy(&a,lo,4,cudaMemcpyDeviceToHost); cudaMemcpy(&b,hi,4,cudaMemcpyDeviceToHost); cudaMemcpy(&z,bad,4,cudaMemcpyDeviceToHost);
  printf("%d..%d, %u bad\n",a,b,z);
}
