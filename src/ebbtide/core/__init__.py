"""The pure heart: values, columns, changes and the four metabolisms. No clock, no I/O, no logging, no randomness."""
