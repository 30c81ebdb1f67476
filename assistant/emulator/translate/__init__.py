"""From CUDA C++ text to host C++ text: edits in place, lines and columns kept."""
