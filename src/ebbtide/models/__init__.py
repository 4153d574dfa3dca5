"""Small models, each behind the `SmallModel` port. Nothing is imported here: a model is paid for by whoever uses it."""
