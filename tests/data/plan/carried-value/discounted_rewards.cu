// kernel=returns line=9 finding=KO120
#include <cstdio>
#include <vector>

__global__ void returns(const float *reward, float *value, float gamma, int steps, int episodes) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < episodes) {
        for (int t = steps - 2; t >= 0; t -= 1) {
            value[t * episodes + e] = reward[t * episodes + e] + gamma * value[(t + 1) * episodes + e];
        }
    }
}

int main() {
    int steps = 64, episodes = 128;
    std::vector<float> r(steps * episodes), v(steps * episodes);
    for (size_t i = 0; i < r.size(); i++) r[i] = (i % 13) * 0.125f;
    float *dr, *dv;
    cudaMalloc(&dr, r.size() * sizeof(float));
    cudaMalloc(&dv, r.size() * sizeof(float));
    cudaMemcpy(dr, r.data(), r.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dv, r.data(), r.size() * sizeof(float), cudaMemcpyHostToDevice);
    returns<<<(episodes + 63) / 64, 64>>>(dr, dv, 0.95f, steps, episodes);
    cudaMemcpy(v.data(), dv, v.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%.4f %.4f\n", v[0], v[episodes - 1]);
    cudaFree(dr);
    cudaFree(dv);
}
