"""Plans: the technique catalogue, and planners that turn findings into edits. Runs nothing."""
