"""Small programs with the answers that the engine must give, and what holds them against the engine and against Python."""
