"""Tasks of a large job, run one after the other in this process or on the machines of a dask cluster."""
