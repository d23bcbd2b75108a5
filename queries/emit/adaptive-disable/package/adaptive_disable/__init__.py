"""Switches speculative decoding off under load, and on again, without a change to SGLang's sources.

Start at `controller` (what the hook asks once a decode step), `policy` (how it decides) and `config` (what can be set).
"""
