"""The edges: parse, call, render. Nothing here decides anything."""
