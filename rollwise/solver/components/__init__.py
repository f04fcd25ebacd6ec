"""Which boards depend on each other, and workers that go through them in step."""
