"""What the policies are worth, simulated: `python -m adaptive_disable.simulate`.

Discrete events: requests arrive, wait, are prefilled, decode together step by step, finish. All policies meet the same
requests, lengths and acceptances. `curves` says where the step times come from, `workload` what is assumed of requests.
"""
