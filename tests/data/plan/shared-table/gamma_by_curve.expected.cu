// kernel=applyCurve line=9 finding=KO101
#define LEVELS 1024

__global__ void applyCurve(const unsigned short *image, const float *curve, float *__restrict__ out, int n)
{
  __shared__ float curve_table[LEVELS];
  for (int entry = threadIdx.x; entry < LEVELS; entry += 256)
    curve_table[entry] = curve[entry];
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride)
  {
    out[i] = curve_table[image[i] >> 6];
  }
}

void run(const unsigned short *image, const float *hostCurve, float *out, int n)
{
  float *curve;
  cudaMalloc((void **)&curve, LEVELS * sizeof(float));
  cudaMemcpy(curve, hostCurve, LEVELS * sizeof(float), cudaMemcpyHostToDevice);
  applyCurve<<<128, 256>>>(image, curve, out, n);
}
