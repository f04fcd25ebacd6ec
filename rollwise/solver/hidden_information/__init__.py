"""Games with hidden dice: whoever moves sees a throw, the other hears only what was called, and replies."""
