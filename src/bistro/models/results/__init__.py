"""Results of models, one type per ability."""
