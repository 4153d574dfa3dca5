"""Where minds are kept. Stores do not know each other; `app` alone knows them."""
