// kernel=columnSums line=16 finding=KO103
#include <cstdio>
#include <vector>

constexpr int kWidth=32;

__global__ void columnSums(const double*in,double*out)
{
	__shared__ double block[kWidth][kWidth];
	int lane=threadIdx.x;
	for(int r=0;r<kWidth;r++)
		block[r][lane]=in[blockIdx.x*kWidth*kWidth+r*kWidth+lane];
	__syncthreads();
	double s=0;
	for(int c=0;c<kWidth;c++)
		s+=block[lane][c];
	out[blockIdx.x*kWidth+lane]=s;
}

int main()
{
	const int blocks=5,count=blocks*kWidth*kWidth;
	std::vector<double> h(count),r(blocks*kWidth);
	for(int i=0;i<count;i++)h[i]=i%11;
	double*in,*out;
	cudaMalloc(&in,count*sizeof(double));
	cudaMalloc(&out,blocks*kWidth*sizeof(double));
	cudaMemcpy(in,h.data(),count*sizeof(double),cudaMemcpyHostToDevice);
	columnSums<<<blocks,kWidth>>>(in,out);
	cudaMemcpy(r.data(),out,blocks*kWidth*sizeof(double),cudaMemcpyDeviceToHost);
	int bad=0;
	for(int i=0;i<blocks*kWidth;i++){
		double s=0;
		for(int c=0;c<kWidth;c++)s+=h[i*kWidth+c];
		bad+=s!=r[i];
	}
	printf(bad?"FAIL\n":"PASS\n");
	return bad!=0;
}
