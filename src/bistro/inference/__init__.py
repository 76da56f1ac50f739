"""Training by Gibbs sweeps, with hyper-parameters and checkpoints."""
