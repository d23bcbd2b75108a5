"""What share of the calls that the test suites of real packages make the index knows: `make recall`."""
