// embedding bag (mean) forward + backward + sparse Adagrad, written for debugging our recommender without the framework
//
//   embedding VOCAB DIM BAGS PER_BAG

#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <stdexcept>
#include <vector>

template <typename T>
struct DeviceArray {
    T *ptr = nullptr;
    size_t n;
    explicit DeviceArray(size_t n_) : n(n_) {
        if (cudaMalloc(&ptr, n * sizeof(T)) != cudaSuccess) throw std::runtime_error("out of GPU memory");
    }
    ~DeviceArray() { cudaFree(ptr); }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    void upload(const std::vector<T> &v) { cudaMemcpy(ptr, v.data(), n * sizeof(T), cudaMemcpyHostToDevice); }
    std::vector<T> download() const {
        std::vector<T> v(n);
        cudaMemcpy(v.data(), ptr, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
    void zero() { cudaMemset(ptr, 0, n * sizeof(T)); }
};

// one thread per bag
template <typename T>
__global__ void bag_forward(const T *table, const int *ids, T *out, int bags, int per_bag, int dim)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bags) return;
    for (int d = 0; d < dim; d++) {
        T sum = 0;
        for (int k = 0; k < per_bag; k++)
            sum += table[ids[b * per_bag + k] * dim + d];
        out[b * dim + d] = sum / per_bag;
    }
}

// loss = 0.5 * |out - target|^2 / bags, target = tanh-ish pattern
template <typename T>
__global__ void loss_grad(const T *out, T *grad, T *loss, int bags, int dim)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bags) return;
    T l = 0;
    for (int d = 0; d < dim; d++) {
        T target = tanh(0.01 * ((b * 7 + d * 3) % 101 - 50));
        T diff = out[b * dim + d] - target;
        grad[b * dim + d] = diff / bags;
        l += 0.5 * diff * diff;
    }
    loss[b] = l / bags;
}

// one block per bag, threads over the dimension
template <typename T>
__global__ void bag_backward(const T *grad, const int *ids, T *table_grad, int *touched, int per_bag, int dim)
{
    int b = blockIdx.x;
    for (int k = 0; k < per_bag; k++) {
        int id = ids[b * per_bag + k];
        if (threadIdx.x == 0) touched[id] = 1;
        for (int d = threadIdx.x; d < dim; d += blockDim.x)
            atomicAdd(&table_grad[id * dim + d], grad[b * dim + d] / per_bag);
    }
}

template <typename T>
__global__ void adagrad(T *table, T *state, T *table_grad, const int *touched, int vocab, int dim, T lr)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= vocab || !touched[row]) return;
    for (int d = 0; d < dim; d++) {
        T g = table_grad[row * dim + d];
        state[row * dim + d] += g * g;
        table[row * dim + d] -= lr * g / (sqrt(state[row * dim + d]) + 1e-10);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s VOCAB DIM BAGS PER_BAG\n", argv[0]);
        return 1;
    }
    int vocab = std::stoi(argv[1]), dim = std::stoi(argv[2]), bags = std::stoi(argv[3]), per_bag = std::stoi(argv[4]);

    // ids: skewed towards the small ones, as words are
    std::vector<int> ids((size_t)bags * per_bag);
    unsigned int seed = 42;
    for (auto &id : ids) {
        seed = seed * 1103515245u + 12345u;
        double u = ((seed >> 8) + 0.5) / 16777216.0;
        id = (int)(vocab * u * u * u);
    }
    std::vector<float> table((size_t)vocab * dim);
    for (size_t i = 0; i < table.size(); i++)
        table[i] = 0.1f * ((int)(i * 2654435761u % 2001) - 1000) / 1000.f;

    try {
        DeviceArray<float> d_table(table.size()), d_table_grad(table.size()), d_state(table.size());
        DeviceArray<int> d_ids(ids.size()), d_touched(vocab);
        DeviceArray<float> d_out((size_t)bags * dim), d_grad((size_t)bags * dim), d_loss(bags);
        d_table.upload(table);
        d_ids.upload(ids);
        d_table_grad.zero();
        d_touched.zero();
        d_state.upload(std::vector<float>(table.size(), 0.001f));

        int threads = 256, blocks = (bags + threads - 1) / threads;
        bag_forward<float><<<blocks, threads>>>(d_table.ptr, d_ids.ptr, d_out.ptr, bags, per_bag, dim);
        loss_grad<float><<<blocks, threads>>>(d_out.ptr, d_grad.ptr, d_loss.ptr, bags, dim);
        bag_backward<float><<<bags, dim < 128 ? dim : 128>>>(d_grad.ptr, d_ids.ptr, d_table_grad.ptr, d_touched.ptr, per_bag, dim);
        adagrad<float><<<(vocab + threads - 1) / threads, threads>>>(d_table.ptr, d_state.ptr, d_table_grad.ptr, d_touched.ptr, vocab, dim, 0.05f);
        if (cudaDeviceSynchronize() != cudaSuccess) throw std::runtime_error(cudaGetErrorString(cudaGetLastError()));

        double loss = 0;
        for (float l : d_loss.download()) loss += l;
        int rows = 0;
        for (int t : d_touched.download()) rows += t;
        std::vector<float> after = d_table.download();
        double moved = 0, sum = 0;
        for (size_t i = 0; i < after.size(); i++) {
            moved += std::fabs(after[i] - table[i]);
            sum += after[i];
        }
        printf("loss %.5f, rows touched %d of %d\n", loss, rows, vocab);
        printf("mean |change| %.5g, sum of the table %.2f\n", moved / after.size(), sum);
        printf("row 0: %.4f %.4f %.4f\n", after[0], after[1], after[2]);
    } catch (const std::exception &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}
