"""The demonstration: a real llama.cpp server with a model too small to say much."""
