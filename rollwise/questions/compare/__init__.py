"""``compare``: the cost of a rule of thumb against the best play, by exact policy evaluation, not simulation.

``resolve_policy`` finds the rule, ``function_policy`` shows it states and takes its moves, ``table_policy`` does that
for a table that ``export`` wrote; ``solver.policy.policy_in_duel`` evaluates it.
"""
