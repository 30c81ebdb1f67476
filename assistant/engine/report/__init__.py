"""The commands that look (``inspect``, ``check``, ``profile``) and how counts, times and proposals are reported."""
