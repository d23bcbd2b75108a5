"""`python -m flowmap` is the command `flowmap`."""

from flowmap.cli.main import main

main()
