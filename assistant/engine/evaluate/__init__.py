"""What running a version of the text and counting it shows: launches, counters, findings, what it costs."""
