"""Learning: Gibbs sweeps, hyper-parameters, checkpoints."""
