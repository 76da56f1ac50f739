"""Training by Gibbs sampling, with hyper-parameter updates and checkpoints."""
