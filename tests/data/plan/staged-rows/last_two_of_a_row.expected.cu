// kernel=jumps line=6 finding=KO101
#include <cstdio>
__global__ void jumps(const int*__restrict__ x,int*__restrict__ longest,int n){
  int row=blockIdx.x*32+threadIdx.x;
  int run=0,best=0;
  __shared__ int x_tile[32][32+1];
  __shared__ int x_tile2[32][32+1];
  for (int chunk = 1; chunk <= n-2; chunk += 32) {
    const int column = threadIdx.x % 32;
    const int at = chunk+column;
    const int chunk_end = min(chunk+32, n-2+1);
    if (at < chunk_end)
      for (int r = threadIdx.x / 32; r < 32; r++) {
        const int other_row = blockIdx.x*32+r;
        x_tile[r][column] = x[other_row*n+at];
        x_tile2[r][column] = x[other_row*n+at-1];
      }
    __syncthreads();
    for (int j = chunk; j < chunk_end; j++) {
      run=x_tile[threadIdx.x][j-chunk]>x_tile2[threadIdx.x][j-chunk]?run+1:run>>1;
      if(run>best)best=run;
    }
    __syncthreads();
  }
  longest[row]=best;
}
int main(){
  const int rows=160,n=90;
  int*x,*longest;
  cudaMallocManaged(&x,rows*n*4);
  cudaMallocManaged(&longest,rows*4);
  for(int i=0;i<rows*n;i++)x[i]=i*31%17;
  jumps<<<rows/32,32>>>(x,longest,n);
  cudaDeviceSynchronize();
  int sum=0;
  for(int i=0;i<rows;i++)sum+=longest[i]*(i%3+1);
  printf("%d\n",sum);
}
