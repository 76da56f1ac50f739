"""Laws that hold for every family of models, and files of every version."""
