"""The scheduler of SGLang 0.5.9, run in one process on a CPU with a tiny model of random weights: `make recall-sglang`."""
