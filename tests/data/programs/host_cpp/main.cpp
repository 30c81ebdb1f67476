#include "solver.hpp"
#include <cstdio>
#include <cstdlib>
#include "args.hpp"

int main(int argc, char **argv)
{
    const Args args = parse_args(argc, argv);
    Solver solver(args.size);
    solver.step(args.steps);
    const auto v = solver.values();
    bool falling = true;
    for (int i = 1; i < solver.size(); ++i)
        falling = falling && v[i] <= v[i - 1];
    std::printf("%d steps: first %.4f last %.6f %s\n", args.steps, v.front(), v.back(), falling ? "ok" : "not monotone");
    return falling ? EXIT_SUCCESS : EXIT_FAILURE;
}
