"""The only part that opens the subject's files: a folder, an archive, a release, what is installed, a git revision.

Nothing of the subject is ever imported, built, installed or run.
"""
