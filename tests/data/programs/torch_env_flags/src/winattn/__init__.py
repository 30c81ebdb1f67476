from .ops import window_sum

__all__ = ["window_sum"]
