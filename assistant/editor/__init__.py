"""The editor's side of the engine: open sources, their views and background jobs; shared by all front ends that stay open."""
