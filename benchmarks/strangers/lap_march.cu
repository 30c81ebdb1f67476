#include <iostream>
#include <vector>
#include <cstdlib>
using namespace std;
typedef float real;
__global__ void lap(real* A, real* B, int X, int Y, int Z)
{
	int x=threadIdx.x+blockIdx.x*blockDim.x;
	int y=threadIdx.y+blockIdx.y*blockDim.y;
	if(x==0||y==0||x>=X-1||y>=Y-1) return;
	for(int z=1;z<Z-1;z++){
		int p=(z*Y+y)*X+x;
		B[p]=A[p-1]+A[p+1]+A[p-X]+A[p+X]+A[p-X*Y]+A[p+X*Y]-6*A[p];
	}
}
__global__ void relax(real* A, real* B, real w, int total)
{
	int p=threadIdx.x+blockIdx.x*blockDim.x;
	if(p<total) A[p]=A[p]+w*B[p];
}
int main(int c,char**v)
{
	int X=c>1?atoi(v[1]):65,Y=c>2?atoi(v[2]):33,Z=c>3?atoi(v[3]):21;
	vector<real> h(X*Y*Z);
	for(int i=0;i<X*Y*Z;i++) h[i]=(i%19)/19.f;
	real *A,*B;
	cudaMalloc((void**)&A,sizeof(real)*X*Y*Z); cudaMalloc((void**)&B,sizeof(real)*X*Y*Z);
	cudaMemcpy(A,&h[0],sizeof(real)*X*Y*Z,cudaMemcpyHostToDevice);
	cudaMemset(B,0,sizeof(real)*X*Y*Z);
	dim3 t(32,4); dim3 b((X+31)/32,(Y+3)/4);
	for(int it=0;it<3;it++){ lap<<<b,t>>>(A,B,X,Y,Z); relax<<<(X*Y*Z+255)/256,256>>>(A,B,0.1f,X*Y*Z); }
	cudaMemcpy(&h[0],A,sizeof(real)*X*Y*Z,cudaMemcpyDeviceToHost);
	double s=0; for(real q:h) s+=q; cout<<s<<endl;
}
