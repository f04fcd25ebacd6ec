"""The question ``ask``: the best move in a state, the value of every move, and the sentence that says so."""
