"""Figures that only a GPU can give: ``make bench-gpu PART=aa``. Self-contained on a machine with CUDA and our wheels."""
