"""The printer that writes SPIR-V for Vulkan."""
