"""A mind as tools and resources for agents, over MCP. Nothing is imported here: the SDK takes most of a second."""
