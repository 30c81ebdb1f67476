// "CUDA by example" style dot product, in double, plus a double2 version and an axpy.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define imin(a,b) (a<b?a:b)

const int N = 33 * 1024 + 6;
const int threadsPerBlock = 256;
const int blocksPerGrid = imin( 32, (N+threadsPerBlock-1) / threadsPerBlock );

__global__ void dot( double *a, double *b, double *c ) {
    __shared__ double cache[threadsPerBlock];
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    double temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;
    __syncthreads();

    int i = blockDim.x/2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }
    if (cacheIndex == 0)
        c[blockIdx.x] = cache[0];
}

__global__ void dot_v2( const double2 *a, const double2 *b, double *c, int n2 ) {
    __shared__ volatile double red[8][33];
    int lane = threadIdx.x, w = threadIdx.y;
    double s = 0.0;
    for (int k = (blockIdx.x * blockDim.y + w) * 32 + lane; k < n2; k += gridDim.x * blockDim.y * 32) {
        double2 u = a[k], v = b[k];
        s += u.x * v.x + u.y * v.y;
    }
    red[w][lane] = s;
    __syncthreads();
    if (w == 0 && lane < 8) {          // eight threads sum a line each
        double t = 0;
        for (int j = 0; j < 32; j++) t += red[lane][j];
        red[lane][32] = t;
        __syncwarp(0xff);
        if (lane == 0) {
            for (int j = 1; j < 8; j++) t += red[j][32];
            c[blockIdx.x] = t;
        }
    }
}

__global__ void daxpy( int n, double alpha, double *x, double *y ) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = alpha * x[i] + y[i];
}

int main( void ) {
    double *a = (double*)malloc( N*sizeof(double) ), *b = (double*)malloc( N*sizeof(double) ), *y = (double*)malloc( N*sizeof(double) );
    double part1[blocksPerGrid], part2[12];
    double *da, *db, *dc;
    double ref = 0;
    for (int i=0; i<N; i++) { a[i] = i % 1000; b[i] = (i*2) % 777; ref += a[i]*b[i]; }
    cudaMalloc( (void**)&da, N*sizeof(double) );
    cudaMalloc( (void**)&db, N*sizeof(double) );
    cudaMalloc( (void**)&dc, (blocksPerGrid+12)*sizeof(double) );
    cudaMemcpy( da, a, N*sizeof(double), cudaMemcpyHostToDevice );
    cudaMemcpy( db, b, N*sizeof(double), cudaMemcpyHostToDevice );
    dot<<<blocksPerGrid,threadsPerBlock>>>( da, db, dc );
    dot_v2<<<12,dim3(32,8)>>>( (double2*)da, (double2*)db, dc + blocksPerGrid, N/2 );
    daxpy<<<(N+319)/320,320>>>( N, 2.5, da, db );
    cudaMemcpy( part1, dc, blocksPerGrid*sizeof(double), cudaMemcpyDeviceToHost );
    cudaMemcpy( part2, dc + blocksPerGrid, 12*sizeof(double), cudaMemcpyDeviceToHost );
    cudaMemcpy( y, db, N*sizeof(double), cudaMemcpyDeviceToHost );
    double s1 = 0, s2 = 0;
    for (int i=0; i<blocksPerGrid; i++) s1 += part1[i];
    for (int i=0; i<12; i++) s2 += part2[i];
    int ok = cudaGetLastError() == cudaSuccess && s1 == ref && s2 == ref;   // all integers, exact
    for (int i=0; i<N; i++) if (y[i] != 2.5*a[i] + b[i]) ok = 0;
    printf( "dot_double %s\n", ok ? "PASS" : "FAIL" );
    free( a ); free( b ); free( y );
    return !ok;
}
