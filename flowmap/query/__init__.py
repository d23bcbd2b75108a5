"""Questions as data: found by name, read with all that is wrong at once, answered out of the index, held to what is expected."""
