"""The pure heart: values, columns, changes and the five metabolisms. No clock, no I/O, no logging, no randomness."""
