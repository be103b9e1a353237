"""What kernels are launched with: the one place that reads arguments, and that knows where each lies in memory."""
