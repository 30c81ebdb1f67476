// rolling volatility of a book of assets
//   rolling_vol DAYS ASSETS WINDOW
// prices come as one row per day (that is how the CSV is), result has the same shape
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define gpuErr(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line)
{
   if (code != cudaSuccess)
   {
      fprintf(stderr,"GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
      exit(code);
   }
}

__global__ void log_returns(double *px, double *ret, int days, int assets)
{
   int t = blockIdx.x * blockDim.x + threadIdx.x;
   int a = blockIdx.y;
   if (t >= days) return;
   if (t == 0)
      ret[t * assets + a] = 0.0;
   else
      ret[t * assets + a] = log(px[t * assets + a] / px[(t-1) * assets + a]);
}

__global__ void rolling_vol(double *ret, double *vol, int days, int assets, int window)
{
   int t = blockIdx.x * blockDim.x + threadIdx.x;
   int a = blockIdx.y;
   if (t >= days) return;
   if (t < window)       // not enough history yet
   {
      vol[t * assets + a] = 0.0;
      return;
   }

   double mean = 0.0;
   for (int k = 0; k < window; k++)
      mean += ret[(t - k) * assets + a];
   mean /= window;

   double var = 0.0;
   for (int k = 0; k < window; k++)
      var += pow(ret[(t - k) * assets + a] - mean, 2);
   var /= window - 1;

   vol[t * assets + a] = sqrt(var * 252.0);
}

int main(int argc, char *argv[])
{
   int days = 1000, assets = 50, window = 30;
   if (argc > 1) sscanf(argv[1], "%d", &days);
   if (argc > 2) sscanf(argv[2], "%d", &assets);
   if (argc > 3) sscanf(argv[3], "%d", &window);

   size_t size = sizeof(double) * days * assets;
   double *px = (double *)malloc(size);
   double *vol = (double *)malloc(size);

   unsigned long long s = 42;
   for (int a = 0; a < assets; a++) px[a] = 20.0 + a % 100;
   for (int t = 1; t < days; t++)
      for (int a = 0; a < assets; a++)
      {
         s = s * 6364136223846793005ULL + 1442695040888963407ULL;
         double u = (double)(s >> 40) / 16777216.0 - 0.5;
         px[t * assets + a] = px[(t-1) * assets + a] * (1.0 + 0.04 * u);
      }

   double *d_px, *d_ret, *d_vol;
   gpuErr(cudaMalloc(&d_px, size));
   gpuErr(cudaMalloc(&d_ret, size));
   gpuErr(cudaMalloc(&d_vol, size));
   gpuErr(cudaMemcpy(d_px, px, size, cudaMemcpyHostToDevice));

   dim3 grid((days + 127) / 128, assets);
   log_returns<<<grid, 128>>>(d_px, d_ret, days, assets);
   gpuErr(cudaPeekAtLastError());
   rolling_vol<<<grid, 128>>>(d_ret, d_vol, days, assets, window);
   gpuErr(cudaPeekAtLastError());
   gpuErr(cudaDeviceSynchronize());

   gpuErr(cudaMemcpy(vol, d_vol, size, cudaMemcpyDeviceToHost));

   double avg = 0;
   for (int i = 0; i < days * assets; i++) avg += vol[i];
   avg /= (double)(days - window) * assets;
   printf("average volatility %.10f\n", avg);
   printf("today, asset 0: %.10f\n", vol[(days - 1) * assets]);

   cudaFree(d_px); cudaFree(d_ret); cudaFree(d_vol);
   free(px); free(vol);
   return 0;
}
