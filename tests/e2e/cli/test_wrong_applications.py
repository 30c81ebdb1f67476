"""What a technique writes passes; the same edit with one thing wrong, as a person might write it, does not."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import DATA, Cli

WRONG = {
    "vector-without-its-tail": ("vectorized-access/sum_with_a_scale", "i < n && i < first + 4", "i < n - 1 && i < first + 4"),
    "rows-of-every-block": ("loop-to-grid/updates_its_own_elements", "int r = blockIdx.y", "int r = 0"),
    "maximum-of-eight-lanes": (
        "warp-per-row/softmax_in_place",
        "= 16; offset > 0; offset /= 2)\n        top", "= 4; offset > 0; offset /= 2)\n        top"),
    "helper-without-its-warps": ("block-shuffles/total_of_a_helper", "warp < 4; warp++", "warp < 3; warp++"),
    "any-of-equal-values": ("warp-per-row/row_of_best", " || (other_most == most && other_at < at)", ""),
    "later-of-equal-ones-in-a-list": ("warp-per-row/loudest_bins", " || (otherLevel == firstLevel && otherBin < firstBin)", ""),
    "equal-ones-of-two-lanes-taken-for-one": ("warp-per-row/cheapest_offers", "if (lane != owner)", "if (low[place] != first_low)"),
    "lists-of-half-a-warp": ("warp-per-row/similar_images", "int offset = 16;", "int offset = 8;"),
    "bins-of-half-a-warp": ("warp-per-row/levels_of_lines", "int offset = 16;", "int offset = 8;"),
    "best-of-another-lane-forgotten": (
        "warp-per-row/margins_of_scores", "fmaxf(fminf(best, other_best), fmaxf(next, other_next))", "fmaxf(next, other_next)"),
    "stride-of-another-grid": ("coalescing-interchange/last_takes_the_rest", "+= gridDim.x * blockDim.x", "+= gridDim.x * blockDim.x + 1"),
    "rest-begins-too-late": (
        "vectorized-access/root_mean_square_norm", "idx = vector_end + threadIdx.x", "idx = vector_end + 1 + threadIdx.x"),
    "alignment-not-asked": (
        "vectorized-access/root_mean_square_norm", "aligned ? hidden_size - hidden_size % 4 : 0", "hidden_size - hidden_size % 4"),
    "vectors-counted-twice": ("vectorized-access/energy_of_a_signal", "first += stride * 2)", "first += stride)"),
    "vector-past-the-end": ("vectorized-access/sum_with_a_scale", "first + 4 <= n", "first < n"),
    "vector-not-written-back": (
        "vectorized-access/wrapped_counters",
        "        *reinterpret_cast<uint4 *>(state + first) = *reinterpret_cast<uint4 *>(state4);\n",
        "",
    ),
    "stride-too-long": ("loop-to-grid/triangle_with_ones", "b += gridDim.y", "b += gridDim.y + 1"),
    "column-not-asked": ("loop-to-threads/pairs_of_points", "a >= count || b >= count", "a >= count"),
    "columns-left-out": ("loop-to-threads/ones_on_the_diagonal", "(n + 15) / 16, (n + 15) / 16", "(n + 15) / 16, n / 16"),
    "running-value-begun-by-all": ("kept-sums/transposed_product", "    if (threadIdx.y != 0) x_acc = 0;\n", ""),
    "result-kept-unset": ("kept-sums/means_of_sensors", "    cudaMemset(dev_mean, 0, sensors * sizeof(double));\n", ""),
    "last-row-of-a-piece-left-out": ("split-k/column_means", "begin + share)", "begin + share - 1)"),
    "parts-without-a-barrier": ("split-loop/members_of_bodies", "    __syncthreads();\n", ""),
    "one-member-left-out": ("split-loop/members_of_bodies", "        acc.y += acc_y_parts[part][threadIdx.x];\n", ""),
    "diagonal-overwritten": ("register-tile/ones_before_the_triangle", "if (b > a &&", "if (b >= a &&"),
    "tile-without-a-barrier": ("register-tile/symmetric_product", "\t\t__syncthreads();\n\t\t#pragma", "\t\t#pragma"),
    "sums-of-the-same-column": ("double-tensor-cores/lower_triangle", "lane % 4 * 2 + e % 2;", "lane % 4 * 2;"),
    "sum-begun-in-another-row": ("double-tensor-cores/lower_triangle", "+ lane / 4 + e / 2 * 8;", "+ lane / 4;"),
    "products-without-a-barrier": (
        "double-tensor-cores/lower_triangle", "\t\t__syncthreads();\n\t\t#pragma", "\t\t#pragma"),
    "zeros-at-one-edge": ("double-tensor-cores/template_with_tiles", "col < n && k < n ? B", "col < n ? B"),
    "row-not-asked": ("register-tile/book_tiles_without_a_check", "Row < whole && Col < whole", "Col < whole"),
    "rows-not-asked": (
        "register-tile/row_of_blocks",
        "sample < batch && unit < outputs) {\n                y",
        "unit < outputs) {\n                y",
    ),
    "column-of-a-flat-index": ("register-tile/flat_index", "a < dims && b < dims", "a < dims"),
    "result-not-cleared": ("block-to-grid/share_by_serial_to_block", "        cudaMemset(total, 0, sizeof(int));\n", ""),
    "elements-of-one-block": ("block-to-grid/hits_and_places", "i = blockIdx.x * THREADS + tid", "i = tid"),
    "window-a-row-off": ("window-tile/interior_of_a_grid", "[threadIdx.y + b + HALF]", "[threadIdx.y + b + HALF - 1]"),
    "window-without-a-barrier": ("window-tile/clamped_blur", "    __syncthreads();\n", ""),
    "margin-not-loaded": ("window-tile/weighted_signal", "col < 128 + TAPS - 1; col", "col < 128; col"),
    "stride-of-fewer-blocks": ("more-blocks/counted_words", "(size_t)gridDim.x * blockDim.x", "(size_t)32 * blockDim.x"),
    "sums-for-fewer-blocks": ("more-blocks/energy_by_pieces", "cudaMalloc(&d_slabs, NBLK", "cudaMalloc(&d_slabs, 64"),
    "mirrored-vector-not-turned-round": ("vectorized-access/samples_backwards", "dst8_mirrored[7 - lane]", "dst8_mirrored[lane]"),
    "tile-filled-too-soon": ("window-tile/feature_maps", "\t\t}\n\t\t__syncthreads();\n\t\tlevel", "\t\t}\n\t\tlevel"),
    "stored-outside-the-bounds": ("window-tile/slices_of_a_volume", "if (is_inside) means", "means"),
    "planes-by-the-old-count": ("thread-coarsening/filter_bank", "slot / filter_groups", "slot / filters"),
    "warp-left-out-of-prefix-sums": ("block-scan/two_rows_by_turns", "running += buf[warp];", "running += warp > 0 ? buf[warp] : 0;"),
    "item-left-out-of-prefix-sums": ("block-scan/two_rows_by_turns", "items[0] + items[1]", "items[0]"),
    "items-beyond-the-end": ("block-scan/one_array", "% 8 == 0 && first + 2 <= n", "% 8 == 0"),
    "offset-of-the-block-before": ("vectorized-access/offset_of_each_block", "k] += offsets[blockIdx.x]", "k] += offsets[blockIdx.x / 2]"),
    "fewer-threads-than-the-block-needs": ("vectorized-access/offset_of_each_block", "SCAN_BLOCK / 4>>>", "SCAN_BLOCK / 8>>>"),
    "scratch-filled-too-soon": ("block-scan/scan_of_a_helper", "    __syncthreads();\n    return sum;", "    return sum;"),
    "next-sum-too-soon": (
        "block-shuffles/one_sum_after_the_other", "        }\n        __syncthreads();\n    }", "        }\n    }"),
    "warp-of-a-local-left-out": ("block-shuffles/local_goes_along", "warp < 4; warp++", "warp < 3; warp++"),
    "second-warp-left-out": ("written-out-steps/template_with_a_helper", "int warp = 1;", "int warp = 2;"),
    "lanes-of-half-a-warp": ("written-out-steps/loop_and_a_warps_tail", "offset = 16;", "offset = 8;"),
    "stored-by-a-block-beyond-the-end": ("staying-threads/squared_errors", "t == 0 && i < n", "t == 0"),
    "element-beyond-the-end": ("staying-threads/squared_errors", "    if (i < n) {\n", "    {\n"),
    "power-one-iteration-early": ("running-powers/discounted", "float power = 1.0f + rate;", "float power = 1.0f;"),
    "power-not-begun-again": ("running-powers/two_loops_of_a_float_in_double", "    power = 1.0;\n", ""),
    "first-place-left-out": ("exchange-sort/median_of_nine", "int j = i - 1; j >= 0", "int j = i - 1; j > 0"),
    "nearest-one-never-first": ("exchange-sort/five_nearest_points", "j >= 0; j--", "j > 0; j--"),
    "pushed-on-from-its-place": ("exchange-sort/five_nearest_points", "                if (placed) continue;\n", ""),
    "coefficient-of-another-place": ("hoisted-loads/sections_of_a_filter", "c3[s] = c[3]", "c3[s] = c[4]"),
    "coefficients-of-one-section": ("hoisted-loads/sections_of_a_filter", "c0[s] * v", "c0[0] * v"),
    "weight-of-the-other-gate": ("hoisted-loads/recurrent_cell_in_place", "peep_j_h = peep[j + H]", "peep_j_h = peep[j]"),
    "angle-in-radians": ("cheaper-functions/normal_steps", "cospi(2.0 * u2)", "cospi(6.283185307179586 * u2)"),
    "half-an-angle": ("cheaper-functions/noise_of_an_image", "float ang = 2.0f * u2;", "float ang = u2;"),
    "sine-and-cosine-exchanged": ("cheaper-functions/turned_points", "&si, &c)", "&c, &si)"),
    "another-base": ("cheaper-functions/levels_in_decibels", "exp10f(", "exp2f("),
    "root-multiplied": ("reciprocal-roots/unit_normals", "float inv_len = rsqrtf(", "float inv_len = sqrtf("),
    "one-norm-left-out": ("reciprocal-roots/cosine_similarity", "rsqrtf(queryNorm) * rsqrtf(itemNorm)", "rsqrtf(itemNorm)"),
    "stride-of-smaller-blocks": ("fewer-blocks/bytes_with_a_limited_grid", "i += blockDim.x * gridDim.x", "i += 256 * gridDim.x"),
    "one-table-added-too-soon": (
        "fewer-blocks/two_tables",
        "\t}\n\t__syncthreads();\n\tfor (int b",
        "\t}\n\tfor (int b",
    ),
    "bins-left-out": ("private-histogram/bins_of_the_command_line", "b = threadIdx.x; b < bins", "b = threadIdx.x; b < bins - 1"),
    "member-not-added-up": (
        "private-histogram/structs_of_a_template", "        atomicAdd(&clusters[bin].size, block_clusters[bin].size);\n", ""),
    "maximum-begun-at-the-top": ("block-atomics/range_of_a_template", "V thread_hi = INT_MIN;", "V thread_hi = INT_MAX;"),
    "warps-of-a-count-left-out": (
        "block-atomics/members_of_a_result", "            thread_count += warp_count[warp];\n", ""),
    "threads-of-one-row": ("loop-to-block/flat_work_in_square_blocks", "int c = lane;", "int c = threadIdx.x;"),
    "rows-of-the-table-left-out": ("loop-to-block/lookup_in_two_dimensions", "c += blockDim.y", "c += blockDim.x"),
    "table-read-too-soon": ("loop-to-block/seeds_of_each_round", "    __syncthreads();\n", ""),
    "loop-of-a-helper-by-every-lane": ("opened-helper/scores_of_documents", "j = lane; j < dims; j += 32", "j = 0; j < dims; j++"),
    "result-of-a-helper-unfinished": ("opened-helper/norms_and_a_second_kernel", "sqrt(total)", "total"),
    "first-value-of-another-row": ("carried-value/row_totals_so_far", "? sums[row * width] : 0", "? sums[0] : 0"),
    "carried-value-not-renewed": (
        "carried-value/tridiagonal_systems",
        "        dw_last = (rhs[k * systems + s] - lower[k * systems + s] * dw_last) * w;\n        dw[k * systems + s] = dw_last;",
        "        dw[k * systems + s] = (rhs[k * systems + s] - lower[k * systems + s] * dw_last) * w;",
    ),
    "rows-at-the-edge": ("rows-per-thread/heat_plate", "first_y + 3 < ny - 1", "first_y + 3 < ny"),
    "edge-row-like-the-others": ("rows-per-thread/source_in_the_first_row", "first_i + 3 < f.nx && first_i > 0", "first_i + 3 < f.nx"),
    "last-row-left-out": ("rows-per-thread/gain_in_place", "for (int k = 0; k < 4; k++) {\n\t\t\tconst int r = first_r + k;\n\t\t\tif",
                          "for (int k = 0; k < 2; k++) {\n\t\t\tconst int r = first_r + k;\n\t\t\tif"),
    "piece-of-rows-read-too-soon": (
        "staged-rows/bank_of_filters", "            }\n        __syncthreads();\n        if", "            }\n        if"),
    "last-column-of-a-piece-left-out": ("staged-rows/thomas_in_place", "min(chunk + 32, m)", "min(chunk + 31, m)"),
    "rows-of-half-the-warps": ("staged-rows/noise_of_planes", "r += 4", "r += 8"),
    "row-behind-the-last": (
        "staged-rows/words_of_records", "            if (other_rec < records)\n                flags", "            flags"),
    "diagonals-of-a-tile-without-a-barrier": (
        "wavefront-tiles/alignment_scores", "        }\n        __syncthreads();\n    }\n\n    if", "        }\n    }\n\n    if"),
    "last-diagonal-of-a-tile-left-out": ("wavefront-tiles/warped_series", "step < 2 * kTile - 1", "step < 2 * kTile - 2"),
    "corner-of-a-tile-not-loaded": (
        "wavefront-tiles/affine_gaps", "    if (t == 0)\n        H_tile[0][0] = H[(r0 - 1) * stride + c0 - 1];\n", ""),
    "last-diagonal-of-tiles-left-out": (
        "wavefront-tiles/cheapest_path", "wave < tile_rows + tile_columns - 1", "wave < tile_rows + tile_columns - 2"),
    "tiles-of-a-square-table": (
        "wavefront-tiles/edit_distance", "last = diagonal < tile_rows ? diagonal : tile_rows - 1", "last = diagonal"),
    "border-before-the-first-row": ("wavefront-tiles/common_subsequence", "if (j0 + tid <= LEN_B && i0 > 0)", "if (j0 + tid <= LEN_B)"),
    "window-a-row-too-far": ("rows-per-thread/blurred_columns", "in[(first_y + j) * w + x]", "in[(first_y + j + 1) * w + x]"),
    "window-without-its-bounds": ("rows-per-thread/blurred_columns", "first_y + j >= 0 && ", ""),
    "rows-beyond-the-last-stored": ("rows-per-thread/blurred_columns", "if (y < h)\n\t\t\tout", "if (true)\n\t\t\tout"),
    "padding-of-the-first-row-left-out": ("rows-per-thread/padded_by_a_choice", "rr < 0 || ", ""),
}  # fmt: skip
RIGHT = tuple(dict.fromkeys(program for program, _, _ in WRONG.values()))


def outcome(cli: Cli, program: str, old: str, new: str) -> str:
    """The verdict on the technique's edit of the program, with ``new`` in the place of ``old``."""
    after = (DATA / "plan" / f"{program}.expected.cu").read_text("utf-8")
    assert after.count(old), (program, old)
    ended = cli.run("compare", DATA / "plan" / f"{program}.cu", cli.write("after.cu", after.replace(old, new)), "--json")
    return ended.all("comparison")[-1]["verification"]["outcome"]  # of the whole program, where more than one kernel's verdict is given


@pytest.mark.thorough
@pytest.mark.parametrize("name", WRONG)
def test_an_edit_with_one_thing_wrong_does_not_pass(cli: Cli, name: str) -> None:
    assert outcome(cli, *WRONG[name]) == "FAIL"


@pytest.mark.thorough
@pytest.mark.parametrize("program", RIGHT)
def test_the_edit_itself_does_not_fail(cli: Cli, program: str) -> None:
    assert outcome(cli, program, "", "") in ("PASS", "NEEDS_DECISION")
