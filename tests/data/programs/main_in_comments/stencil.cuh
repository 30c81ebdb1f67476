#ifndef STENCIL
#define STENCIL
/* Example:
 *   int main() { stencil<<<1, 32>>>(in, out, 32); }
 */
__global__ void stencil(const int *in, int *out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i > 0 && i < n - 1) out[i] = in[i - 1] - 2 * in[i] + in[i + 1];
    else if (i < n) out[i] = 0;
}
#endif
