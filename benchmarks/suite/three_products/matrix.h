#ifndef MATRIX_H
#define MATRIX_H

#include <cstddef>
#include <functional>

// An n x n matrix of doubles that lives on the device.
class Matrix {
public:
    explicit Matrix(int n);
    Matrix(int n, const std::function<double(int, int)>& value);
    ~Matrix();
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;

    int n() const { return n_; }
    double* data() { return data_; }
    const double* data() const { return data_; }
    double norm() const;

private:
    int n_;
    double* data_ = nullptr;
};

void multiply(const Matrix& a, const Matrix& b, Matrix& c);
void check(cudaError_t status);

#endif
