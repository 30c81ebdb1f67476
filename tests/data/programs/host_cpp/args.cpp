#include "args.hpp"
#include <cstdlib>

Args parse_args(int argc, char **argv)
{
    Args a;
    if (argc > 1) a.size = std::atoi(argv[1]);
    if (argc > 2) a.steps = std::atoi(argv[2]);
    return a;
}
