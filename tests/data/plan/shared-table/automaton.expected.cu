// kernel=match line=9 finding=KO101
typedef unsigned char symbol;

__global__ void match(const symbol *text, const int *next, int *__restrict__ found, int length, int count)
{
    __shared__ int next_table[128];
    next_table[threadIdx.x] = next[threadIdx.x];
    __syncthreads();
    int t = blockIdx.x * 128 + threadIdx.x, state = 0;
    if (t < count) {
        for (int k = 0; k < length; k++)
            state = next_table[state * 4 + (text[t * length + k] & 3)];
        found[t] = state;
    }
}

void run(const symbol *text, const int *rules, int *found, int length, int count)
{
    const int states = 32;
    int table[4 * 32];
    int *next;
    cudaMalloc(&next, sizeof(table));
    cudaMemcpy(next, rules, states * 4 * sizeof(int), cudaMemcpyHostToDevice);
    match<<<(count + 127) / 128, 128>>>(text, next, found, length, count);
}
