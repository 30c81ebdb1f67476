// kernel=bitonic_sort_step line=13 finding=KO124
#define THREADS 512

__global__ void bitonic_sort_step(float *values, int j, int k)
{
  unsigned int i, ixj; /* Sorting partners: i and ixj */
  i = threadIdx.x + blockDim.x * blockIdx.x;
  ixj = i^j;

  /* The threads with the lowest ids sort the array. */
  if ((ixj)>i) {
    if ((i&k)==0) {
      /* Sort ascending */
      if (values[i]>values[ixj]) {
        float temp = values[i];
        values[i] = values[ixj];
        values[ixj] = temp;
      }
    }
    if ((i&k)!=0) {
      /* Sort descending */
      if (values[i]<values[ixj]) {
        float temp = values[i];
        values[i] = values[ixj];
        values[ixj] = temp;
      }
    }
  }
}

// The passes of bitonic_sort_step whose pairs lie in a block's tile, one after the other in shared memory.
__global__ void bitonic_sort_step_tile(float *values, int j, int k)
{
  __shared__ float tile[THREADS];
  unsigned int i, ixj; /* Sorting partners: i and ixj */
  i = threadIdx.x + blockDim.x * blockIdx.x;
  unsigned int first = i - threadIdx.x;
  tile[threadIdx.x] = values[i];
  for (; j>0; j=j>>1) {
    __syncthreads();
    ixj = i^j;
    /* The threads with the lowest ids sort the array. */
    if ((ixj)>i) {
      if ((i&k)==0) {
        /* Sort ascending */
        if (tile[threadIdx.x]>tile[ixj - first]) {
          float temp = tile[threadIdx.x];
          tile[threadIdx.x] = tile[ixj - first];
          tile[ixj - first] = temp;
        }
      }
      if ((i&k)!=0) {
        /* Sort descending */
        if (tile[threadIdx.x]<tile[ixj - first]) {
          float temp = tile[threadIdx.x];
          tile[threadIdx.x] = tile[ixj - first];
          tile[ixj - first] = temp;
        }
      }
    }
  }
  __syncthreads();
  values[i] = tile[threadIdx.x];
}

void bitonic_sort(float *dev_values, int num_vals)
{
  dim3 blocks(num_vals / THREADS, 1);    /* Number of blocks   */
  dim3 threads(THREADS, 1);  /* Number of threads  */
  int j, k;
  for (k = 2; k <= num_vals; k <<= 1) {
    for (j=k>>1; j>0; j=j>>1) {
      // from here on pairs lie in a block's tile
      if (THREADS / 2 % j == 0) {
        bitonic_sort_step_tile<<<blocks, threads>>>(dev_values, j, k);
        break;
      }
      bitonic_sort_step<<<blocks, threads>>>(dev_values, j, k);
    }
  }
}
