"""The folder that `flowmap record` puts on the PYTHONPATH of the program and of its child processes."""
