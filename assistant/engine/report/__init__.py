"""The commands that look (``inspect``, ``check``, ``profile``) and what is told of counts, times and proposals."""
