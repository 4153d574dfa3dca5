"""Embedders: built in, from any OpenAI-compatible endpoint, or a small table for those in a hurry."""

from ebbtide.models.embedders.builtin import BuiltinEmbedder
from ebbtide.models.embedders.openai import OpenAIEmbedder
from ebbtide.models.embedders.static import StaticEmbedder

__all__ = ["BuiltinEmbedder", "OpenAIEmbedder", "StaticEmbedder"]
