"""The expert planner: one module per source transformation, no model, no network."""
