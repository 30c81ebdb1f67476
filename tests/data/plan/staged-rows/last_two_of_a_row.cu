// kernel=jumps line=5 finding=KO101
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
  int*x,*longest;
  cudaMalloc(&x,4096*100*4);
  cudaMalloc(&longest,4096*4);
  jumps<<<128,32>>>(x,longest,100);
  cudaDeviceSynchronize();
}
