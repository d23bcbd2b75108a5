"""The emitted hook on the real scheduler of SGLang 0.5.9, on a CPU."""
