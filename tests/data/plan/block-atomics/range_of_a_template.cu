// kernel=range_of line=9 finding=KO110
#include <cstdio>
#include <cstdlib>
typedef unsigned int u32;
template<class V, int SKIP> __global__ void range_of(const V * __restrict__ rd, int cnt, V *lo, V *hi, u32 *bad){
  int t = blockIdx.x*blockDim.x+threadIdx.x;
  if(t*SKIP >= cnt) return;
  V r = rd[t*SKIP];
  atomicMin(lo, r);
  atomicMax(hi, r);
  if (r % 13 == 0) atomicAdd(bad, 1u);
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
