"""Work that falls into tasks: done here, one after the other, or by the machines of a cluster."""
