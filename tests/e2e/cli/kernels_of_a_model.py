"""New texts of the examples' kernels, as a good model would write them; tests break them on purpose."""

TILED_TRANSPOSE = """\
__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int ox = blockIdx.y * 32 + threadIdx.x;
    int oy = blockIdx.x * 32 + threadIdx.y;
    if (ox < height && oy < width) out[oy * height + ox] = tile[threadIdx.x][threadIdx.y];
}"""
PADDED_TILE = """\
template <typename T>
__global__ void transposeTiled(T* __restrict__ out, const T* __restrict__ in, int n) {
  __shared__ T tile[TILE][TILE + 1];

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];

  __syncthreads();

  x = blockIdx.y * TILE + threadIdx.x;  // transposed block
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}"""
REGISTER_SUM = """\
__global__ void matmul(const float *A, const float *B, float *C, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n && col < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; k++) sum += A[row * n + k] * B[k * n + col];
        C[row * n + col] = sum;
    }
}"""
ROW_BY_ROW = """\
__global__ void brighten(const float *image, float *result, int rows, int cols, float gain, float offset)
{
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int count = gridDim.x * gridDim.y * blockDim.x * blockDim.y;
    int first = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    for (int i = first; i < rows * cols; i += count) {
        // keep the result displayable
        float value = gain * image[i] + offset;
        result[i] = fminf(fmaxf(value, 0.0f), 255.0f);
    }
}"""
SAME_STORES = """\
__global__ void transpose(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float value = in[y * width + x];
    out[x * height + y] = value;
}"""
