// kernel=countLetters line=20 finding=KO110
#include <iostream>
#include <cuda_runtime.h>
using namespace std;

const int LETTERS = 26;

__global__ void countLetters(const char* text, int* letters, int length)
{
    __shared__ int cache[LETTERS];
    for (int k = threadIdx.x; k < LETTERS; k += blockDim.x) { cache[k] = 0; }
    __syncthreads();

    for (int idx = threadIdx.x + blockDim.x * blockIdx.x; idx < length; idx += gridDim.x * blockDim.x) {
        char c = text[idx];
        if (c >= 'a' && c <= 'z') { atomicAdd(&cache[c - 'a'], 1); }
        else if (c >= 'A' && c <= 'Z') { atomicAdd(&cache[c - 'A'], 1); }
    }
    __syncthreads();
    for (int k = threadIdx.x; k < LETTERS; k += blockDim.x) { atomicAdd(&letters[k], cache[k]); }
}

int main()
{
    const int length = 9999;
    char* text = new char[length];
    for (int i = 0; i < length; i++) text[i] = "The quick brown fox jumps over the lazy dog. "[(i * 11 + i / 45) % 45];

    char* d_text;
    int *d_letters, letters[LETTERS];
    cudaMalloc((void**)&d_text, length);
    cudaMalloc((void**)&d_letters, LETTERS * sizeof(int));
    cudaMemcpy(d_text, text, length, cudaMemcpyHostToDevice);
    cudaMemset(d_letters, 0, LETTERS * sizeof(int));

    const int threads = 128;
    int blocks = min(21, (length + threads - 1) / threads);
    countLetters<<<(blocks + 3) / 4, 4 * threads>>>(d_text, d_letters, length);

    cudaMemcpy(letters, d_letters, LETTERS * sizeof(int), cudaMemcpyDeviceToHost);
    for (int k = 0; k < LETTERS; k++) cout << char('a' + k) << letters[k] << ' ';
    cout << endl;
    cudaFree(d_text);
    cudaFree(d_letters);
    delete[] text;
    return 0;
}
