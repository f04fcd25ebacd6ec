"""Policies: evaluation, best response, forward pass, forecast and simulation."""
