"""The HTTP edge: every verb of a mind under /v1. Parse, call, answer; what a verb means is the mind's business."""
