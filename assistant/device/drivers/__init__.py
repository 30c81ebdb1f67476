"""Implementations of ``assistant.device.driver.Driver``, one per Python binding of CUDA's driver API."""
