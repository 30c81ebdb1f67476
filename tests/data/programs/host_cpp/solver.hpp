#pragma once
#include <vector>

class Solver {
public:
    explicit Solver(int n);
    ~Solver();
    void step(int times);
    std::vector<float> values() const;
    int size() const { return n_; }

private:
    Solver(const Solver &) = delete;
    Solver &operator=(const Solver &) = delete;
    int n_;
    float *now_, *next_;
};
