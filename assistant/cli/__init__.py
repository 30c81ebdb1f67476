"""The command line: parses arguments, renders events, maps outcomes to exit codes. Holds no product logic."""
