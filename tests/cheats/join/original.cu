// Orders are matched with customers by 64-bit keys: a hash table with open addressing. No key is 0.
#include <cstdio>
#include <vector>

typedef unsigned long long Key;

struct Table {
    Key *keys;
    int *rows;
    unsigned mask;
};

__device__ unsigned slot(Key key) {
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9ull;
    key ^= key >> 32;
    return (unsigned)key;
}

__global__ void clear(Table table) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > table.mask) return;
    table.keys[i] = 0;
    table.rows[i] = -1;
}

__global__ void insert(Table table, const Key *customers, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (unsigned s = slot(customers[i]) & table.mask;; s = (s + 1) & table.mask)
        if (atomicCAS(&table.keys[s], 0ull, customers[i]) == 0) {
            table.rows[s] = i;
            return;
        }
}

__global__ void match(Table table, const Key *orders, int n, int *found) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    found[i] = -1;
    for (unsigned s = slot(orders[i]) & table.mask; table.keys[s] != 0; s = (s + 1) & table.mask)
        if (table.keys[s] == orders[i]) {
            found[i] = table.rows[s];
            break;
        }
}

static Key key(int i) { return (Key)(i + 1) * 2654435761ull % 4294967291ull + 1; }

int main() {
    const int customers = 900, orders = 2000, slots = 2048;
    std::vector<Key> a(customers), b(orders);
    for (int i = 0; i < customers; i++) a[i] = key(i * 7);
    for (int i = 0; i < orders; i++) b[i] = key(i * 5 % 9000);
    Table table;
    table.mask = slots - 1;
    Key *ca, *ob;
    int *found;
    cudaMalloc(&table.keys, slots * sizeof(Key));
    cudaMalloc(&table.rows, slots * sizeof(int));
    cudaMalloc(&ca, customers * sizeof(Key));
    cudaMalloc(&ob, orders * sizeof(Key));
    cudaMalloc(&found, orders * sizeof(int));
    cudaMemcpy(ca, a.data(), customers * sizeof(Key), cudaMemcpyHostToDevice);
    cudaMemcpy(ob, b.data(), orders * sizeof(Key), cudaMemcpyHostToDevice);
    clear<<<(slots + 127) / 128, 128>>>(table);
    insert<<<(customers + 127) / 128, 128>>>(table, ca, customers);
    match<<<(orders + 127) / 128, 128>>>(table, ob, orders, found);
    std::vector<int> rows(orders);
    cudaMemcpy(rows.data(), found, orders * sizeof(int), cudaMemcpyDeviceToHost);
    long long sum = 0;
    for (int i = 0; i < orders; i++) sum += (long long)rows[i] * (i % 13 + 1);
    printf("checksum %lld\n", sum);
}
