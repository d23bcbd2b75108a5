"""The tests of flowmap; see CONTRIBUTING.md for what goes where."""
