"""Proofs of the adaptive-disable hook on one Hopper GPU: tokens, step times by cause, throughput under a policy."""
