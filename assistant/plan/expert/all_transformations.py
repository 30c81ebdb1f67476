"""Every source transformation that the expert planner has, by name; `planner.py` orders the steps."""

from __future__ import annotations

from assistant.plan.expert.block_atomics import BlockAtomics
from assistant.plan.expert.block_scan import BlockScan
from assistant.plan.expert.block_shuffles import BlockShuffles
from assistant.plan.expert.block_size_search import BlockSizeSearch
from assistant.plan.expert.block_to_grid import BlockToGrid
from assistant.plan.expert.carried_value import CarryingValue
from assistant.plan.expert.cheaper_functions import CheaperFunctions
from assistant.plan.expert.coalescing_interchange import CoalescingInterchange
from assistant.plan.expert.const_restrict import ConstRestrict
from assistant.plan.expert.constant_powers import ConstantPowers
from assistant.plan.expert.double_tensor_cores import DoubleTensorCores
from assistant.plan.expert.exchange_sort import ExchangeSort
from assistant.plan.expert.fewer_blocks import FewerBlocks
from assistant.plan.expert.float_literals import FloatLiterals
from assistant.plan.expert.hoisted_loads import HoistedLoads
from assistant.plan.expert.kernel_fusion import KernelFusion
from assistant.plan.expert.loop_to_block import LoopToBlock
from assistant.plan.expert.loop_to_grid import LoopToGrid
from assistant.plan.expert.loop_to_threads import LoopToThreads
from assistant.plan.expert.loop_unrolling import LoopUnrolling
from assistant.plan.expert.more_blocks import MoreBlocks
from assistant.plan.expert.private_histogram import PrivateHistogram
from assistant.plan.expert.reciprocal_roots import ReciprocalRoots
from assistant.plan.expert.register_tile import RegisterTiling
from assistant.plan.expert.rows_per_thread import RowsPerThread
from assistant.plan.expert.running_powers import RunningPowers
from assistant.plan.expert.scalar_replacement import ScalarReplacement
from assistant.plan.expert.serial_to_block import SerialToBlock
from assistant.plan.expert.shared_memory_padding import SharedMemoryPadding
from assistant.plan.expert.shared_passes import SharedPasses
from assistant.plan.expert.shared_table import SharedTable
from assistant.plan.expert.shared_tile import SharedTile
from assistant.plan.expert.split_k import SplitK
from assistant.plan.expert.split_loop import SplitLoop
from assistant.plan.expert.staged_rows import StagedRows
from assistant.plan.expert.staged_store import StagedStore
from assistant.plan.expert.thread_coarsening import ThreadCoarsening
from assistant.plan.expert.tiled_pairs import TiledPairs
from assistant.plan.expert.transformation import Transformation
from assistant.plan.expert.vectorized_access import VectorizedAccess
from assistant.plan.expert.warp_per_row import WarpPerRow
from assistant.plan.expert.warp_shuffle_tail import WarpShuffleTail
from assistant.plan.expert.wavefront_tiles import WavefrontTiles
from assistant.plan.expert.window_tile import WindowTile

__all__ = ["EXPERT_TRANSFORMATIONS"]

EXPERT_TRANSFORMATIONS: tuple[Transformation, ...] = (
    BlockAtomics(),
    BlockScan(),
    BlockShuffles(),
    BlockSizeSearch(),
    BlockToGrid(),
    CarryingValue(),
    CheaperFunctions(),
    CoalescingInterchange(),
    ConstRestrict(),
    ConstantPowers(),
    DoubleTensorCores(),
    ExchangeSort(),
    FewerBlocks(),
    FloatLiterals(),
    HoistedLoads(),
    KernelFusion(),
    LoopToBlock(),
    LoopToGrid(),
    LoopToThreads(),
    LoopUnrolling(),
    MoreBlocks(),
    PrivateHistogram(),
    ReciprocalRoots(),
    RegisterTiling(),
    RowsPerThread(),
    RunningPowers(),
    ScalarReplacement(),
    SerialToBlock(),
    SharedMemoryPadding(),
    SharedPasses(),
    SharedTable(),
    SharedTile(),
    SplitK(),
    SplitLoop(),
    StagedRows(),
    StagedStore(),
    ThreadCoarsening(),
    TiledPairs(),
    VectorizedAccess(),
    WarpPerRow(),
    WarpShuffleTail(),
    WavefrontTiles(),
    WindowTile(),
)
