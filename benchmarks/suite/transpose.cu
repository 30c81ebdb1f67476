#include<stdio.h>
#include<stdlib.h>

__global__ void transpose(int *in,int *out,int rows,int cols){
	int x=blockIdx.x*blockDim.x+threadIdx.x;
	int y=blockIdx.y*blockDim.y+threadIdx.y;
	if(x<cols && y<rows){
		out[x*rows+y]=in[y*cols+x];
	}
}

int main(int argc,char**argv){
	int rows=200,cols=300;
	if(argc>2){
		rows=atoi(argv[1]);
		cols=atoi(argv[2]);
	}
	size_t sz=(size_t)rows*cols*sizeof(int);
	int*h_in=(int*)malloc(sz);
	int*h_out=(int*)malloc(sz);
	for(int i=0;i<rows*cols;i++)h_in[i]=i;

	int*d_in,*d_out;
	cudaMalloc(&d_in,sz);
	cudaMalloc(&d_out,sz);
	cudaMemcpy(d_in,h_in,sz,cudaMemcpyHostToDevice);

	dim3 block(32,32);
	dim3 grid((cols+31)/32,(rows+31)/32);
	transpose<<<grid,block>>>(d_in,d_out,rows,cols);
	cudaDeviceSynchronize();
	if(cudaGetLastError()!=cudaSuccess){
		printf("kernel failed\n");
		return 1;
	}
	cudaMemcpy(h_out,d_out,sz,cudaMemcpyDeviceToHost);

	int bad=0;
	for(int r=0;r<rows;r++)
		for(int c=0;c<cols;c++)
			if(h_out[c*rows+r]!=h_in[r*cols+c])bad++;
	printf("%d wrong elements, out[1]=%d\n",bad,h_out[1]);

	cudaFree(d_in);
	cudaFree(d_out);
	free(h_in);
	free(h_out);
	return bad!=0;
}
