//! How parameters move: named parameters with transforms and priors, and solvers that survive bad evaluations.
