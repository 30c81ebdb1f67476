// Unified memory: linked lists, nested pointers, a managed base class, prefetch and advice.
#include <cstdio>
#include <cstring>
#include <new>
class Managed { public: void* operator new(size_t n) { void* p; if (cudaMallocManaged(&p, n) != cudaSuccess) throw std::bad_alloc(); cudaDeviceSynchronize(); return p; } void operator delete(void* p) { cudaDeviceSynchronize(); cudaFree(p); } };
struct Node : public Managed { int value; Node* next; };
struct Table : Managed { int** rows; int n; __host__ __device__ int at(int r, int c) const { return rows[r][c]; } };
__global__ void sum_list(const Node* head, int* out) { int s = 0; for (const Node* p = head; p != nullptr; p = p->next) s += p->value; *out = s; }
__global__ void transpose(Table* t) { int r = threadIdx.y, c = threadIdx.x; int v = t->at(c, r); __syncthreads(); t->rows[r][c] = v; }
__global__ void append(Node* tail, Node* extra) { tail->next = extra; extra->next = NULL; extra->value = 100; }
int main() { Node* head = nullptr; for (int i = 1; i <= 10; i++) { Node* n = new Node; n->value = i; n->next = head; head = n; } Node* tail = head; while (tail->next) tail = tail->next; Node* extra = new Node; append<<<1, 1>>>(tail, extra); int* out; cudaMallocManaged(&out, sizeof *out, cudaMemAttachGlobal); sum_list<<<1, 1>>>(head, out); cudaDeviceSynchronize(); bool ok = *out == 155; Table* t = new Table; t->n = 4; cudaMallocManaged(&t->rows, 4 * sizeof(int*)); for (int r = 0; r < 4; r++) { cudaMallocManaged(&t->rows[r], 16); for (int c = 0; c < 4; c++) t->rows[r][c] = r * 4 + c; } transpose<<<1, dim3(4, 4)>>>(t); ok &= cudaDeviceSynchronize() == cudaSuccess && t->at(1, 2) == 9; while (head) { Node* n = head->next; delete head; head = n; } cudaFree(out); printf("managed_structures %s\n", ok ? "PASS" : "FAIL"); return !ok; }
