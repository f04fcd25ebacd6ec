"""What a sheet may be played for, beside its mean: to reach a score, to beat other sheets, to have more than another."""
