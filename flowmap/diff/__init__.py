"""One state of a code base against another: what of calls, guards, class orders and fields is different, and nothing else."""
