"""One Context for GPU memory, streams, kernels and pipelines, whatever the backend."""
