// kernel=jumps line=6 finding=KO101
#include <cstdio>
__global__ void jumps(const int*__restrict__ x,int*__restrict__ longest,int n){
  int row=blockIdx.x*32+threadIdx.x;
  int run=0,best=0;
  for(int j=1;j<=n-2;j++){
    run=x[row*n+j]>x[row*n+j-1]?run+1:run>>1;
    if(run>best)best=run;
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
