"""Expressions of time: what they are in Chinese and English, and which days of the calendar they name."""
