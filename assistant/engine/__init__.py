"""The pipeline every front end shares: assess, compare, optimize, sessions. Yields events; never prints, never knows who asked."""
