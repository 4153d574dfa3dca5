"""The built-in small model: what a network mind uses when nobody gives it another."""

from ebbtide.models.builtin.model import BuiltinModel

__all__ = ["BuiltinModel"]
