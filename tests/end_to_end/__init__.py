"""Tests that run the real command on a real release."""
